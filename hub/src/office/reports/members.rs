//! Sales to members, and their points.

use crate::office::reports::figure::sum;
use crate::office::reports::report::{DAY, Report, STORE, Source, group, text};

static DAYS: Source = Source {
    from: "member_days d",
    dated: true,
    late: Some(("d.sales_count", "d.total")),
    figures: &[
        sum("sales_count", "SUM(d.sales_count)"),
        sum("total", "SUM(d.total)"),
        sum("member_sales_count", "SUM(d.member_sales_count)"),
        sum("member_total", "SUM(d.member_total)"),
        sum("points_earned", "SUM(d.points_earned)"),
        sum("points_redeemed", "SUM(d.points_redeemed - d.points_returned)"),
        sum("points_reversed", "SUM(d.points_reversed)"),
        sum("points_expired", "SUM(d.points_expired)"),
    ],
};

/// `GET /api/reports/members`
pub static MEMBERS: Report = Report {
    name: "members",
    groups: &[
        group!("day", [DAY], &DAYS, &DAYS),
        group!("store", [STORE], &DAYS, &DAYS),
        group!("tier", [text("tier", "NULLIF(d.tier, '')")], &DAYS, &DAYS),
    ],
    chart: &["member_total"],
};
