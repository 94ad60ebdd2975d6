//! The business date of a document's step: the day on which it is made, whenever the former step was.

use super::*;
use domain::model::base::time::UtcMs;
use domain::model::inventory::opname::Opname;
use jiff::civil::Date;

/// Returns the business date of a shop's latest document.
fn dated(shop: &Shop) -> Date {
    match &shop.events.last().unwrap().fact {
        Fact::AdjustmentChanged(it) => it.adjustment.business_date,
        Fact::TransferChanged(it) => it.transfer.business_date,
        Fact::OpnameChanged(it) => {
            let Opname { business_date, .. } = it.opname;
            business_date
        }
        other => panic!("{other:?}"),
    }
}

fn commit<F>(shop: &mut Shop, event: Result<Event<F>, Refusal>)
where
    Event<F>: Into<Event>,
{
    shop.commit(event.unwrap());
}

/// Moves to the next day.
fn next_day(shop: &mut Shop) {
    shop.now = UtcMs(shop.now.0 + 86_400_000);
}

#[test]
fn each_step_counts_for_the_day_of_its_store() {
    let (first, second): (Date, Date) = ("2026-11-20".parse().unwrap(), "2026-11-21".parse().unwrap());

    let mut shop = open();
    shop.adjust(&staff(), &adjusting(AdjustmentReason::Loss, "a", -1)).unwrap();
    assert_eq!(dated(&shop), first);
    let Some(Event { fact: Fact::AdjustmentChanged(it), .. }) = shop.events.last().cloned() else { panic!() };
    next_day(&mut shop);
    let ids_of = ids(&mut shop);
    let event = adjustment::reverse(&it.adjustment, ids_of, &shop.stock_context(&boss()));
    commit(&mut shop, event);
    assert_eq!(dated(&shop), second, "a reversed adjustment");

    let mut shop = open();
    let id = shop.start_count(Scope::Skus, Some(vec!["a".into()])).unwrap();
    shop.count(&id, "a", 10, None).unwrap();
    assert_eq!(dated(&shop), first);
    next_day(&mut shop);
    shop.post_count(&id, true).unwrap();
    assert_eq!(dated(&shop), second, "a posted count");

    let (mut here, mut there) = (open(), open());
    there.rules.store_id = "S002".into();
    let sent = here.send(&[("b", 4)]).unwrap();
    assert_eq!(dated(&here), first);
    let nothing = ReceiveTransfer { lines: Vec::new() };
    let ids_there = ids(&mut there);
    let received = transfer::receive(&nothing, &sent, ids_there, &there.stock_context(&staff())).unwrap();
    let arrived = received.fact.transfer.clone();
    there.commit(received);
    let ids_here = ids(&mut here);
    let met = transfer::meet(&sent, &arrived, ids_here, &here.stock_context(&boss()));
    commit(&mut here, met);
    assert_eq!(dated(&here), first, "the document alone moves no stock");
    next_day(&mut here);
    next_day(&mut there);
    let lines = vec![
        ResolveLine { sku: "b".into(), qty: 2.into(), resolution: Resolution::FoundAtSource },
        ResolveLine { sku: "b".into(), qty: 2.into(), resolution: Resolution::FoundAtDestination },
    ];
    let (cmd, ids_here) = (ResolveTransfer { lines }, ids(&mut here));
    let settled = transfer::resolve(&cmd, &sent, ids_here, &here.stock_context(&boss()));
    commit(&mut here, settled);
    assert_eq!(dated(&here), second, "resolved pieces");
    let (settled, ids_there) = (here.ledger.transfers[&sent.transfer_id].clone(), ids(&mut there));
    let found = transfer::found_here(&arrived, &settled, ids_there, &there.stock_context(&boss()));
    commit(&mut there, found);
    assert_eq!(dated(&there), second, "pieces found at their destination");
    next_day(&mut there);
    let ids_there = ids(&mut there);
    let again = transfer::found_here(&arrived, &settled, ids_there, &there.stock_context(&boss()));
    commit(&mut there, again);
    assert_eq!(dated(&there), second, "no pieces came in");
}

#[test]
fn a_rejection_or_reversal_belongs_to_the_day_on_which_it_is_made() {
    let second: Date = "2026-11-21".parse().unwrap();

    let mut shop = open();
    let mut cmd = adjusting(AdjustmentReason::Loss, "a", -1);
    cmd.request_approval = Some(true);
    shop.adjust(&staff(), &cmd).unwrap();
    let Some(Event { fact: Fact::AdjustmentChanged(it), .. }) = shop.events.last().cloned() else { panic!() };
    next_day(&mut shop);
    let event = adjustment::reject(&it.adjustment, &shop.stock_context(&boss()));
    commit(&mut shop, event);
    assert_eq!(dated(&shop), second, "a rejected adjustment");

    let mut shop = open();
    let id = shop.start_count(Scope::Skus, Some(vec!["a".into()])).unwrap();
    next_day(&mut shop);
    let event = opname::cancel(&id, &shop.stock_context(&boss()));
    commit(&mut shop, event);
    assert_eq!(dated(&shop), second, "a cancelled count");

    let mut shop = open();
    let lines = vec![NewTransferLine { sku: "a".into(), code: None, qty: 1.into() }];
    let cmd = NewTransfer { to_store_id: "S002".into(), lines, note: None, draft: Some(true) };
    let of_draft = ids(&mut shop);
    let draft = transfer::create(
        &cmd,
        Receiver::Listed,
        "trf_9".into(),
        of_draft,
        &shop.products,
        &shop.stock_context(&staff()),
    )
    .unwrap();
    let transfer = draft.fact.transfer.clone();
    shop.commit(draft);
    next_day(&mut shop);
    let ids_back = ids(&mut shop);
    let event = transfer::cancel(&transfer, ids_back, &shop.stock_context(&staff()));
    commit(&mut shop, event);
    assert_eq!(dated(&shop), second, "a cancelled draft");
}
