// Codes of the interface as words; sentences are their own English.
export const en = {
  cash: "Cash", card: "Card", qris: "QRIS", bank_transfer: "Transfer", voucher: "Voucher", points: "Points", exchange: "Exchange",
  pay_in: "Pay in", pay_out: "Pay out", drop: "Drop to the safe", no_sale: "Open drawer",
  open: "open", held: "held", partially_paid: "partly paid", paid: "paid", voided: "voided", closed: "closed",
  restock: "Back to shelf", damaged: "Damaged", vendor: "To the supplier", none: "Thrown away",
  defective: "Defective", wrong_item: "Wrong item", wrong_size: "Wrong size", expired: "Expired", changed_mind: "Changed mind",
  wrong_price: "Wrong price", customer_left: "Customer left", cannot_pay: "Can't pay", training: "Training", test: "Test",
  short_dated: "Short-dated", price_match: "Price match", loyalty: "Loyalty", staff: "Staff", other: "Other",
  sale: "Sale", sale_void: "Sale voided", return: "Return", receiving: "Receiving", transfer_out: "Sent to a store", transfer_in: "Came from a store", adjustment: "Adjustment",
  opname: "Count", opening: "Opening stock", counting: "counting", review: "to be looked at", posted: "posted", reversed: "taken back", cancelled: "cancelled", draft: "draft",
  approved: "approved", sent: "sent", partially_received: "partly received", received: "received", earn: "Earned", redeem: "Redeemed", reverse: "Taken back",
  give_back: "Given back", adjust: "By hand", expire: "Expired", active: "active", blocked: "blocked", merged: "merged", erased: "erased", admin: "Administrator",
  store_manager: "Store manager", cashier: "Cashier", warehouse_staff: "Warehouse", shelf: "Shelf", back: "Back room", online: "online", offline: "offline",
  backing_off: "trying again", rejected: "refused", not_configured: "not enrolled",
};
