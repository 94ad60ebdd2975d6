"""A till's day at a store. Arguments: base URL, user name, password."""

from __future__ import annotations

import sys

from session import Session, expect, items
from store_router.api.holds import create_hold, recall_hold
from store_router.api.point_of_sale import create_transaction, get_product_for_sale, get_settings, list_transactions, pay_transaction
from store_router.api.registers import create_register
from store_router.api.returns import create_return, quote_return
from store_router.api.shifts import close_shift, get_shift_summary, open_shift
from store_router.client import AuthenticatedClient
from store_router.models import (
    CloseShiftRequest,
    CreateSaleRequest,
    HoldSaleRequest,
    NewReturnRequest,
    OpenShiftRequest,
    Failure,
    NewItem,
    NewPayment,
    NewRegister,
    NewReturn,
    NewReturnItem,
    PaySale,
    RecallHold,
    TransactionList,
)
from store_router.types import UNSET

SKU = "8991234567890"
REGISTER = "till-py"


def main(base_url: str, username: str, password: str) -> None:
    session = Session(base_url, username, password, REGISTER)
    store = AuthenticatedClient(base_url=base_url, token="", httpx_args={"transport": session})
    expect(create_register.sync(client=store, body=NewRegister(register_id=REGISTER, name="Python till")))
    assert expect(get_settings.sync(client=store)).currency == "IDR"
    opening = OpenShiftRequest(opening_float=100_000, register_id=REGISTER)
    shift = expect(open_shift.sync(client=store, body=opening))
    product = expect(get_product_for_sale.sync(SKU, client=store))

    basket = CreateSaleRequest(items=[NewItem(sku=SKU, qty=2)])
    key = "py-first-sale"
    first = expect(create_transaction.sync(client=store, body=basket, idempotency_key=key))
    again = create_transaction.sync_detailed(client=store, body=basket, idempotency_key=key)
    assert expect(again.parsed).transaction_id == first.transaction_id
    assert again.headers["Idempotency-Replayed"] == "true"
    assert first.items[0].price == product.price

    def pay(transaction_id: str, *payments: NewPayment) -> None:
        paid = pay_transaction.sync(transaction_id, client=store, body=PaySale(payments=list(payments)))
        assert expect(paid).state == "paid"

    wrong = PaySale(payments=[NewPayment(method="stamps", amount=first.amount_due)])
    refused = pay_transaction.sync(first.transaction_id, client=store, body=wrong)
    assert isinstance(refused, Failure) and refused.error.code == "validation_failed"
    assert refused.error.details.fields and refused.error.details.fields[0].path == "payments[0].method"
    pay(first.transaction_id, NewPayment(method="cash", amount=first.amount_due, tendered=first.amount_due + 1_000))

    second = expect(create_transaction.sync(client=store, body=basket))
    putting_aside = HoldSaleRequest(transaction_id=second.transaction_id, note="wallet")
    hold = expect(create_hold.sync(client=store, body=putting_aside))
    expect(recall_hold.sync(hold.hold_id, client=store, body=RecallHold()))
    card = NewPayment(method="card", amount=10_000)
    pay(second.transaction_id, card, NewPayment(method="cash", amount=second.amount_due - card.amount))

    cash_for_all = NewPayment(method="cash", amount=second.total, tendered=second.total)
    whole = CreateSaleRequest(items=[NewItem(sku=SKU, qty=2)], payments=[cash_for_all])
    third = expect(create_transaction.sync(client=store, body=whole))
    assert third.state == "paid"

    back = [NewReturnItem(sku=SKU, qty=1, reason="torn")]
    asked = NewReturn(transaction_id=first.transaction_id, items=back)
    quote = expect(quote_return.sync(client=store, body=asked))
    returned = expect(
        create_return.sync(client=store, body=NewReturnRequest(transaction_id=first.transaction_id, items=back))
    )
    assert returned.refund_total == quote.refund_total

    def page(cursor: str | None) -> TransactionList:
        return expect(
            list_transactions.sync(client=store, shift_id=shift.shift_id, limit=1, cursor=cursor or UNSET)
        )

    sales = {sale.transaction_id for sale in items(page)}
    assert sales == {first.transaction_id, second.transaction_id, third.transaction_id}
    cash = expect(get_shift_summary.sync(shift.shift_id, client=store)).cash
    assert cash
    counted = CloseShiftRequest(counted_cash=cash.expected or 0)
    closed = expect(close_shift.sync(shift.shift_id, client=store, body=counted))
    assert [one.variance for one in closed.by_method or [] if one.method == "cash"] == [0]
    print(f"till: {len(sales)} sales, {returned.refund_total} refunded, closed without a difference")


main(*sys.argv[1:])
