// The portal's own texts: codes of the interface as words, and every sentence in Indonesian.
import { sentences } from "./sentences.js";

/** A code, its English, its Indonesian. */
const WORDS = [
  ["ho_finance", "Finance", "Keuangan"], ["ho_purchasing", "Purchasing", "Pembelian"],
  ["reconciled", "agrees", "cocok"], ["discrepant", "differs", "ada selisih"], ["settled", "settled", "selesai"], ["resolved", "resolved", "selesai"], ["matched", "matched", "cocok"], ["disputed", "disputed", "disanggah"],
  ["imported", "taken in", "diimpor"], ["locked", "locked", "terkunci"], ["interrupted", "interrupted", "terputus"], ["ended", "ended", "diakhiri"], ["inactive", "inactive", "nonaktif"], ["match", "agrees", "cocok"], ["difference", "differs", "berbeda"],
  ["not_yet", "not yet", "belum"], ["withdrawn", "taken back", "ditarik"], ["expected", "expected", "diharapkan"], ["partial", "partly", "sebagian"], ["written_off", "written off", "dihapusbukukan"], ["restored", "put back", "dipulihkan"], ["accepted", "accepted", "diterima"], ["reversed", "taken back", "ditarik"],
  ["event", "Event", "Kejadian"], ["manual", "By hand", "Manual"], ["reversal", "Taken back", "Pembalikan"], ["opening", "Opening", "Saldo awal"], ["year_end", "Year end", "Tutup tahun"], ["settlement", "Settlement", "Rekonsiliasi"], ["bank", "Bank", "Bank"], ["invoice", "Invoice", "Faktur"], ["payment", "Payment", "Pembayaran"], ["credit_note", "Credit note", "Nota kredit"],
  ["promotion", "Promotion", "Promosi"], ["basket", "Basket discount", "Diskon keranjang"],
  ["line_percent", "Per cent off the line", "Persen per baris"], ["line_amount", "Amount off each", "Potongan per barang"], ["buy_x_get_y", "Buy some, get some", "Beli X gratis Y"], ["basket_percent", "Per cent off the basket", "Persen keranjang"], ["basket_amount", "Amount off the basket", "Potongan keranjang"],
  ["mon", "Monday", "Senin"], ["tue", "Tuesday", "Selasa"], ["wed", "Wednesday", "Rabu"], ["thu", "Thursday", "Kamis"], ["fri", "Friday", "Jumat"], ["sat", "Saturday", "Sabtu"], ["sun", "Sunday", "Minggu"],
  ["not_heard", "not heard from", "tanpa kabar"], ["pending", "records wait", "catatan menunggu"], ["hole", "records are missing", "catatan hilang"], ["parked", "records are parked", "catatan tertahan"], ["shift_open", "a shift is open", "shift terbuka"], ["not_sealed", "not sealed", "hari belum dikunci"], ["day_reopened", "the day was opened again", "hari dibuka lagi"],
  ["not_a_pack", "is no whole number of packs", "bukan kelipatan kemasan"], ["below_min_qty", "is below the smallest quantity", "di bawah jumlah minimum"], ["below_min_order_total", "The total is below the supplier's smallest order", "Total di bawah pesanan minimum pemasok"],
  ["qty_over", "More billed than received", "Ditagih lebih dari diterima"], ["not_received", "Billed and not received", "Ditagih tetapi belum diterima"], ["price_over", "Dearer than ordered", "Lebih mahal dari pesanan"], ["price_under", "Cheaper than ordered", "Lebih murah dari pesanan"], ["no_order", "Without an order", "Tanpa pesanan"], ["cost_missing", "Received without a cost", "Diterima tanpa harga"], ["wrong_supplier", "Another supplier's goods", "Barang pemasok lain"], ["tax_rate", "Another tax rate", "Tarif pajak berbeda"], ["duplicate_suspect", "Looks like one that is there", "Mirip faktur yang ada"], ["by_hand", "Disputed by a person", "Disanggah oleh petugas"],
  ["unknown_type", "Unknown type", "Jenis tidak dikenal"], ["unknown_schema", "Unknown version", "Versi tidak dikenal"], ["invalid_payload", "Unreadable content", "Isi tidak terbaca"], ["invalid_envelope", "Unreadable record", "Catatan tidak terbaca"], ["effects_failed", "Could not be applied", "Tidak dapat diterapkan"],
  ["carry", "Carried on", "Dilanjutkan"], ["write_off", "Written off", "Dihapusbukukan"], ["post", "Posted", "Dibukukan"], ["accept", "Accepted", "Diterima"], ["ignore", "Ignored", "Diabaikan"], ["dispute", "Disputed", "Disanggah"], ["contest", "Contested", "Dibantah"], ["store_id", "Store", "Toko"],
  ["on_hand", "On hand", "Stok fisik"], ["value", "Value", "Nilai"], ["drops", "Drops", "Setoran brankas"], ["net", "Net", "Bersih"], ["opening_float", "Float", "Modal awal"], ["sku", "Product code", "Kode produk"], ["member_id", "Member", "Member"], ["shift_id", "Shift", "Shift"],
  ["member", "Member", "Member"], ["store_product", "Stock setting", "Setelan stok"], ["name", "Name", "Nama"], ["phone", "Phone", "Telepon"], ["email", "E-mail", "Surel"], ["reorder_level", "Reorder level", "Stok minimum"], ["shelf_place", "Shelf", "Rak"],
];

/** What may be wrong with a store. */
const PROBLEMS = [
  ["history_diverged", "Two histories of one store: a copy was restored and sold", "Dua riwayat dari satu toko: salinan dipulihkan lalu berjualan"], ["fenced", "Two copies of this store speak", "Dua salinan toko ini berbicara"], ["hole", "Records are missing for ever", "Ada catatan yang hilang selamanya"],
  ["event_id_reused", "One number for two different records", "Satu nomor untuk dua catatan berbeda"], ["clock_skew", "Its clock is wrong", "Jamnya salah"], ["stamped_ahead", "Records are stamped ahead of time", "Catatan bertanggal di depan waktu"], ["epoch_ahead", "It writes a history that is not known here", "Ia menulis riwayat yang tidak dikenal di sini"],
  ["digest_difference", "The daily proof differs", "Pencocokan harian berbeda"], ["parked", "Records could not be applied and wait", "Ada catatan tertahan"], ["exceptions", "Records contradict others", "Ada catatan yang bertentangan"], ["disabled", "Disabled: it keeps what it sells", "Dinonaktifkan: ia menyimpan penjualannya"],
  ["not_enrolled", "Added, never enrolled", "Ditambahkan, belum terdaftar"], ["silent", "Nothing was heard from it", "Tidak ada kabar darinya"], ["backlog", "Records have not come yet", "Catatan belum sampai"],
].map(([code, ...words]) => [`problem.${code}`, ...words]);

/** What contradicts, and in Indonesian what to do: in English the interface itself says it. */
const EXCEPTIONS = [
  ["receipt_number_twice", "Receipt number given twice", "Nomor struk dipakai dua kali", "lihat kedua dokumen, dan apakah dua salinan toko berjualan bersamaan"],
  ["receipt_number_of_another_store", "Receipt number of another store", "Nomor struk toko lain", "dokumennya berlaku; tanyakan kepada toko mengapa memakai nomor itu"],
  ["transfer_cancelled_and_received", "Transfer called off and received", "Kiriman dibatalkan dan diterima", "penerimaan berlaku: kepala toko pengirim menyelesaikan selisih kiriman"],
  ["transfer_over_receipt", "More arrived than was sent", "Datang lebih dari yang dikirim", "hitung di kedua toko, lalu perbaiki yang salah dengan penyesuaian"],
  ["transfer_of_other_stores", "Transfer between other stores", "Kiriman antara toko lain", "tanyakan kepada toko: stoknya bergerak, kirimannya tidak; perbaiki dengan penyesuaian"],
  ["transfer_to_unknown_store", "Transfer to no store", "Kiriman ke toko yang tidak ada", "tidak ada yang menerimanya: minta pengirim membatalkan dan mengirim ulang"],
  ["transfer_of_unknown_products", "Transfer of products not in the catalogue", "Kiriman produk di luar katalog", "tambahkan ke katalog; sebelum itu tidak bisa dijual"],
  ["user_of_another_store", "Person of another store", "Orang dari toko lain", "tidak ada yang diubah; tanyakan siapa yang melakukannya"],
  ["user_name_taken", "Login name given twice", "Nama login dipakai dua kali", "orang dari kantor pusat tidak bisa masuk sampai salah satunya diganti"],
  ["member_registered_twice", "Member registered twice", "Member terdaftar dua kali", "bila orang yang sama, gabungkan; bila tidak, perbaiki yang salah"],
  ["return_exceeds_sold", "More came back than was sold", "Yang kembali melebihi yang terjual", "lihat dokumen semua toko, lalu selesaikan dengan pembeli"],
  ["points_overdrawn", "More points redeemed than there were", "Poin ditukar melebihi saldo", "catatan tetap berlaku; koreksi saldo atau biarkan terisi lagi"],
  ["shift_was_closed", "Done in a closed shift", "Dilakukan di shift yang sudah ditutup", "hitung dengan kas hari itu secara manual; laporan shift tidak memuatnya"],
  ["order_over_receipt", "More came than was ordered", "Datang lebih dari pesanan", "sepakati dengan pemasok: bayar, atau kirim kembali"],
  ["order_cancelled_and_received", "Order called off and received", "Pesanan dibatalkan dan diterima", "penerimaan berlaku dan pesanan terbuka lagi: tutup, atau kirim kembali barangnya"],
  ["order_of_another_store", "Goods against another store's order", "Barang atas pesanan toko lain", "cari pesanan yang sebenarnya; stok ada di toko penerima"],
  ["receipt_reversed_after_invoice", "Receipt taken back after it was billed", "Penerimaan ditarik setelah ditagih", "minta nota kredit dari pemasok"],
  ["supplier_return_unallocated", "Goods sent back that no receipt has", "Retur ke pemasok tanpa penerimaan", "cari penerimaan atau pemasoknya"],
  ["entry_unbalanced", "Figures do not balance", "Angka tidak seimbang", "lihat dokumennya, lalu jelaskan akun sementara dengan jurnal"],
  ["stock_value_differs", "Value of goods differs", "Nilai barang berbeda", "lihat dokumennya; persediaan mengikuti stok toko"],
  ["unexplained_movement", "Goods moved without a document", "Barang bergerak tanpa dokumen", "tanyakan kepada toko, lalu jelaskan dengan penyesuaian"],
  ["mapping_closed", "Mapped to a closed account", "Dipetakan ke akun tertutup", "petakan ke akun yang terbuka, atau buka lagi akun ini"],
  ["missing_at_provider", "Missing at the provider", "Tidak ada di penyedia", "tunggu laporan berikutnya, atau hapus bukukan"], ["missing_in_store", "Missing in the store", "Tidak ada di toko", "tunggu tokonya, atau bukukan barisnya"],
  ["amount_differs", "Amounts differ", "Jumlah berbeda", "terima selisihnya, atau biarkan sisanya terbuka"], ["duplicate", "Reported twice", "Dilaporkan dua kali", "abaikan bila dilaporkan dua kali, bukukan bila dibayar dua kali"],
  ["fee_differs", "Fee differs", "Biaya berbeda", "terima biayanya, atau sanggah"], ["chargeback", "Chargeback", "Tagihan balik", "terima, atau bantah"], ["late", "Late", "Terlambat", "dibukukan pada hari lain"],
  ["ambiguous", "Several may be meant", "Beberapa kemungkinan", "pilih tokonya, atau cocokkan"], ["unknown_store", "Unknown terminal", "Terminal tidak dikenal", "sebutkan tokonya"],
  ["payout_differs", "Payout differs", "Pencairan berbeda", "terima selisihnya"], ["deposit_differs", "Deposit differs", "Setoran berbeda", "terima selisihnya"], ["deposit_missing", "Deposit is missing", "Setoran tidak ada", "tunggu, atau hapus bukukan"],
  ["balance_differs", "Balance differs", "Saldo berbeda", "terima bila sudah diperiksa"], ["shift_differs", "Shift was recounted", "Shift dihitung ulang", "terima bila sudah diperiksa"],
];

/** Heads of reports. */
const FIGURES = [
  ["business_date", "Day", "Hari"], ["entry_date", "Day in the books", "Hari buku"], ["hour", "Hour", "Jam"], ["store_id", "Store", "Toko"], ["register_id", "Till", "Mesin kasir"], ["cashier_id", "Cashier", "Kasir"], ["sku", "Product", "Produk"], ["category", "Category", "Kategori"], ["method", "Method", "Cara bayar"], ["tax_code", "Tax code", "Kode pajak"], ["tax_rate_bp", "Rate", "Tarif"], ["promotion_id", "Promotion", "Promosi"], ["name", "Name", "Nama"], ["tier", "Tier", "Tingkat"], ["month", "Month", "Bulan"], ["account", "Account", "Akun"], ["shift_id", "Shift", "Shift"], ["reason", "Reason", "Alasan"], ["code", "What", "Apa"],
  ["sales_count", "Sales", "Penjualan"], ["items_count", "Pieces", "Barang"], ["gross_sales", "Gross", "Kotor"], ["discounts", "Discounts", "Diskon"], ["net_sales", "Net of tax", "Tanpa pajak"], ["tax", "Tax", "PPN"], ["rounding", "Rounding", "Pembulatan"], ["total", "Total", "Total"], ["returns_count", "Returns", "Retur"], ["returns_total", "Returned", "Dikembalikan"], ["returns_rounding", "Rounding of returns", "Pembulatan retur"], ["net_total", "Less returns", "Setelah retur"],
  ["base", "Base", "Dasar"], ["returns_base", "Returned base", "Dasar retur"], ["returns_tax", "Returned tax", "Pajak retur"], ["uses", "Times", "Kali"], ["cost", "Cost", "Harga pokok"], ["correction", "Corrections", "Koreksi"], ["margin", "Margin", "Margin"], ["margin_bp", "Margin, %", "Margin, %"], ["payments_count", "Payments", "Pembayaran"], ["sales", "Sales", "Penjualan"], ["refunds", "Refunds", "Pengembalian"], ["net", "Net", "Bersih"],
  ["shifts", "Shifts", "Shift"], ["opening_float", "Float", "Modal awal"], ["pay_in", "Paid in", "Kas masuk"], ["pay_out", "Paid out", "Kas keluar"], ["drops", "Drops", "Setoran brankas"], ["expected", "Expected", "Seharusnya"], ["counted", "Counted", "Dihitung"], ["variance", "Difference", "Selisih"], ["recounts", "Recounts", "Hitung ulang"], ["deposited", "Deposited", "Disetor"],
  ["on_hand", "On hand", "Stok fisik"], ["average_cost", "Average cost", "Harga pokok rata-rata"], ["value", "Value", "Nilai"], ["damaged", "Damaged", "Rusak"], ["damaged_value", "Value of damaged", "Nilai rusak"], ["in_transit_value", "On the way, value", "Nilai di jalan"], ["opening_qty", "At first", "Awal"], ["received_qty", "Came", "Datang"], ["sold_qty", "Sold", "Terjual"], ["returned_qty", "Returned", "Retur"], ["other_qty", "Other", "Lainnya"], ["closing_qty", "At last", "Akhir"], ["sell_through_bp", "Sell-through", "Terjual, %"], ["days_of_stock", "Days of stock", "Hari stok"],
  ["pieces", "Pieces", "Barang"], ["sales_bp", "Of sales", "Dari penjualan"], ["member_sales_count", "To members", "Ke member"], ["member_total", "Total of members", "Total member"], ["points_earned", "Points earned", "Poin didapat"], ["points_redeemed", "Points redeemed", "Poin ditukar"], ["points_reversed", "Points taken back", "Poin ditarik"], ["points_expired", "Points expired", "Poin hangus"],
  ["earned", "Earned", "Didapat"], ["redeemed", "Redeemed", "Ditukar"], ["reversed", "Taken back", "Ditarik"], ["expired", "Expired", "Hangus"], ["adjusted", "By hand", "Manual"], ["points", "Points", "Poin"], ["returns", "Returns", "Retur"], ["cost_of_goods", "Cost of goods", "Harga pokok"], ["cost_corrections", "Corrections of cost", "Koreksi harga pokok"], ["purchase_variance", "Purchase variance", "Selisih pembelian"], ["shrinkage", "Shrinkage", "Penyusutan"], ["gross_profit", "Gross profit", "Laba kotor"], ["other_income", "Other income", "Pendapatan lain"], ["expenses", "Expenses", "Beban"], ["result", "Result", "Hasil"], ["open", "Open", "Terbuka"], ["settled", "Settled", "Selesai"], ["amount", "Amount", "Jumlah"],
].map(([code, ...words]) => [`figure.${code}`, ...words]);

const all = [...WORDS, ...PROBLEMS, ...EXCEPTIONS, ...FIGURES];
const actions = EXCEPTIONS.map(([code, , , action]) => [`${code}.action`, action]);
/** At head office it is the hub that does not answer. */
const ABSENT = [
  ["The store's box does not answer", "Head office does not answer", "Kantor pusat tidak menjawab"],
  ["The store's box does not answer. What is paid is safe. Trying again\u2026", "Head office does not answer. Trying again\u2026", "Kantor pusat tidak menjawab. Dicoba lagi\u2026"],
  ["Not known yet: {what}. Asking again, don't ring it up again", "Not known yet: {what}. Asking again, don't repeat it", "Belum pasti: {what}. Ditanyakan lagi, jangan diulang"],
  ["The store is busy. Try again in a moment", "Head office is busy. Try again in a moment", "Kantor pusat sibuk. Coba lagi sebentar"],
  ["A defect in the store's program. Nothing was done", "A defect in head office's program. Nothing was done", "Kesalahan pada program kantor pusat. Tidak ada yang dilakukan"],
  ["A manager has to approve this", "Somebody with a higher limit has to approve this", "Perlu persetujuan orang dengan batas lebih tinggi"],
];
const both = [...all, ...ABSENT];
export const texts = {
  en: Object.fromEntries(both.map(([code, english]) => [code, english])),
  id: { ...sentences, ...Object.fromEntries([...both.map(([code, , indonesian]) => [code, indonesian]), ...actions]) },
};
