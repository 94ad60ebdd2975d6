"""An accounting connector's day at head office. Arguments: base URL, user name, password."""

from __future__ import annotations

import datetime
import sys

from cloud_hub.api.api_keys import create_api_key
from cloud_hub.api.catalogue import create_product
from cloud_hub.api.finance import (
    create_finance_journal_entry,
    get_finance_trial_balance,
    list_finance_accounts,
    list_finance_journal_entries,
)
from cloud_hub.api.purchasing import (
    create_purchase_order,
    create_supplier,
    create_supplier_product,
    submit_purchase_order,
)
from cloud_hub.client import AuthenticatedClient
from cloud_hub.models import (
    ApiKeyRole,
    ApiKeyScope,
    CompleteListOfListedJournalEntry,
    JournalLineByHand,
    NewApiKey,
    NewJournalEntry,
    NewOrderLine,
    NewProduct,
    NewPurchaseOrder,
    NewSupplierPrice,
    PurchaseOrderReason,
    SupplierFields,
)
from cloud_hub.types import UNSET
from session import Session, expect, items

SKU = "PY-1"


def main(base_url: str, username: str, password: str) -> None:
    session = Session(base_url, username, password)
    hub = AuthenticatedClient(base_url=base_url, token="", httpx_args={"transport": session})
    product = expect(create_product.sync(client=hub, body=NewProduct(sku=SKU, name="Jasmine tea", price=12_000)))
    supplier = expect(create_supplier.sync(client=hub, body=SupplierFields(code="PY", name="Jasmine Ltd")))
    offer = NewSupplierPrice(sku=SKU, unit_cost=9_000)
    expect(create_supplier_product.sync(supplier.supplier_id, client=hub, body=offer))
    lines = [NewOrderLine(sku=SKU, qty=24)]
    wanted = NewPurchaseOrder(supplier_id=supplier.supplier_id, store_id="S001", lines=lines)
    order = expect(create_purchase_order.sync(client=hub, body=wanted))
    submitted = submit_purchase_order.sync(order.po_id, client=hub, body=PurchaseOrderReason())
    assert expect(submitted).submitted_at

    today = datetime.datetime.now(datetime.timezone.utc).date()
    amount = 5_000_000
    accounts = expect(list_finance_accounts.sync(client=hub)).items
    cost = next(one.account for one in accounts if one.type_ == "expense")
    equity = next(one.account for one in accounts if one.type_ == "equity")
    entry_lines = [
        JournalLineByHand(account=cost, debit=amount),
        JournalLineByHand(account=equity, credit=amount),
    ]
    entry = NewJournalEntry(date=today, memo="Insurance", lines=entry_lines)
    posted = expect(create_finance_journal_entry.sync(client=hub, body=entry))

    def page(cursor: str | None) -> CompleteListOfListedJournalEntry:
        return expect(
            list_finance_journal_entries.sync(client=hub, from_=today, to=today, limit=1, cursor=cursor or UNSET)
        )

    # A program reads with a key of its own, not with a person's password.
    wanted_key = NewApiKey(name="Connector", role=ApiKeyRole.READ_ONLY, scopes=[ApiKeyScope.FINANCEREAD])
    key = expect(create_api_key.sync(client=hub, body=wanted_key))
    reading = Session(base_url, api_key=key.secret)
    hub = AuthenticatedClient(base_url=base_url, token="", httpx_args={"transport": reading})

    journal = [one.entry_id for one in items(page)]
    assert posted.entry_id in journal
    balance = expect(get_finance_trial_balance.sync(client=hub, date=today))
    assert any(one.account == cost and (one.debit or 0) >= amount for one in balance.items)
    print(f"connector: {product.sku} ordered, {len(journal)} journal entries read")


main(*sys.argv[1:])
