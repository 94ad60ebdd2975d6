//! Exchanges: refusals, and the amounts left for other methods.

use super::*;

fn exchange(into: &TransactionId, amount: i64) -> NewRefund {
    NewRefund { transaction_id: Some(into.clone()), ..by("exchange", amount) }
}

/// Creates a new basket of `b`, 3,330 with tax.
fn wanted(shop: &mut Shop) -> TransactionId {
    shop.create(&basket(vec![item("b", 1, 3000)])).unwrap()
}

#[test]
fn exchanges_that_are_refused() {
    run_table(
        open,
        &[
            case(
                "more than is due",
                |s| {
                    in_cash(s);
                    s.create(&basket(vec![item("a", 1, 100)])).unwrap();
                },
                |s| {
                    let target = s.shift.open.keys().next().unwrap().clone();
                    refund(s, |cmd| cmd.refunds = Some(vec![exchange(&target, 1110)]))
                },
                "payment_mismatch",
                "111",
            ),
            case(
                "into a transaction of nobody",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![exchange(&"trx_0".into(), 1110)])),
                "not_found",
                "",
            ),
            case(
                "into nothing",
                given_sale,
                |s| refund(s, |cmd| cmd.refunds = Some(vec![by("exchange", 1110)])),
                "validation_failed",
                "refunds[0].transaction_id",
            ),
            case(
                "by a payment",
                |s| {
                    wanted(s);
                },
                |s| {
                    s.rules.methods.push("exchange".to_owned());
                    let id = s.shift.open.keys().next().unwrap().clone();
                    let refused = s.pay(&id, &pay_by("exchange", 100)).map(|_| ());
                    s.rules.methods.pop();
                    refused
                },
                "validation_failed",
                "payments[0].method",
            ),
        ],
    );
}

fn methods(document: &Return) -> Vec<(&str, Option<&str>, i64)> {
    document
        .refunds
        .iter()
        .map(|refund| (refund.method.as_str(), refund.origin.as_deref(), refund.amount.get()))
        .collect()
}

#[test]
fn a_card_sale_never_turns_into_cash_by_an_exchange() {
    let mut shop = open();
    let first = sold(&mut shop, vec![payment("card", 3000), payment("cash", 330)]);
    let target = wanted(&mut shop);
    let cmd = NewReturn {
        transaction_id: Some(first.clone()),
        items: vec![back("a", 3)],
        refunds: Some(vec![exchange(&target, 3330)]),
        ..NewReturn::default()
    };
    let document = shop.give_back(&ani(), &cmd).unwrap();
    assert_eq!(methods(&document), [("exchange", Some("card"), 3000), ("exchange", Some("cash"), 330)]);
    assert!(shop.shift.open.is_empty(), "the exchange completed the sale in one commit");
    let sale = sale_of(&shop, &target);
    assert_eq!(sale.receipt_no.as_deref(), Some("S001-main-00000003"), "after the return's number");
    assert_eq!(Cash::of(&shop.shift.shift).expected, 330, "no cash moved");

    // A return of the new sale is refunded by the card that had paid the first one.
    let mut again = shop.clone();
    let document = again.take_back(&target, "b", 1).unwrap();
    assert_eq!(methods(&document), [("card", None, 3000), ("cash", None, 330)]);

    // A void of the new sale does the same and releases the goods of the exchange.
    let given = shop.void_paid(&boss(), &target).unwrap();
    let given: Vec<_> = given.iter().map(|part| (part.method.as_str(), part.amount.get())).collect();
    assert_eq!(given, [("card", 3000), ("cash", 330)]);
    assert_eq!(Cash::of(&shop.shift.shift).expected, 0);
    assert_eq!(shop.shift.shift.totals.by_method["exchange"], Default::default());
}

#[test]
fn an_exchange_leaves_points_to_points() {
    let mut shop = open();
    let member = shop.join("Siti", "0811 2233 445").unwrap();
    let mut account = domain::model::people::points::PointsAccount::new(member.clone());
    account.lots.earn("gift", 1_000.into(), None);
    shop.ledger.points.insert(member.clone(), account);
    let cmd = CreateSale { member_id: Some(member.clone()), ..basket(vec![item("a", 3, 1000)]) };
    let id = shop.create(&cmd).unwrap();
    let payments = vec![payment("points", 1000), payment("card", 2330)];
    shop.pay(&id, &PaySale { payments }).unwrap().expect("paid");
    assert_eq!(shop.ledger.points[&member].balance(), 2, "⌊2,330 / 1,000⌋");
    let target = wanted(&mut shop);
    let mut cmd = of(&shop, vec![back("a", 3)]);
    cmd.refunds = Some(vec![exchange(&target, 3330)]);
    let refused = shop.give_back(&boss(), &cmd).unwrap_err();
    assert_eq!(refused.code(), "payment_mismatch");
    cmd.refunds = Some(vec![by("points", 1000), exchange(&target, 2330)]);
    let document = shop.give_back(&boss(), &cmd).unwrap();
    assert_eq!((document.points_back.get(), document.points_reversed.get()), (1000, 2));
    assert_eq!(shop.ledger.points[&member].balance(), 1000);
}
