//! Sales to members, and their points.

use crate::office::reports::figure::{count, sum};
use crate::office::reports::report::{DAY, Report, STORE, Source, group, text_or_null};

/// Members that were registered there, and sales to members.
static DAYS: Source = Source {
    from: "(SELECT store_id, business_date, entry_date, tier, 0 AS members_new, sales_count, total, member_sales_count, \
           member_total, points_earned, points_redeemed, points_returned, points_reversed, points_expired \
           FROM member_days UNION ALL SELECT r.made_by, r.made_on, r.made_on, \
           COALESCE(REPLACE(f.value, '\"', ''), ''), 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM shared_records r \
           LEFT JOIN fields f ON f.resource = 'member' AND f.id = r.id AND f.field = 'tier' AND f.value <> 'null' \
           WHERE r.resource = 'member') d",
    dated: true,
    late: Some(("d.sales_count", "d.total")),
    figures: &[
        count("members_new", "SUM(d.members_new)"),
        count("sales_count", "SUM(d.sales_count)"),
        sum("total", "SUM(d.total)"),
        count("member_sales_count", "SUM(d.member_sales_count)"),
        sum("member_total", "SUM(d.member_total)"),
        count("points_earned", "SUM(d.points_earned)"),
        count("points_redeemed", "SUM(d.points_redeemed - d.points_returned)"),
        count("points_reversed", "SUM(d.points_reversed)"),
        count("points_expired", "SUM(d.points_expired)"),
    ],
};

/// `GET /api/reports/members`
pub static MEMBERS: Report = Report {
    name: "members",
    groups: &[
        group!("day", [DAY], &DAYS, &DAYS),
        group!("store", [STORE], &DAYS, &DAYS),
        group!("tier", [text_or_null("tier", "NULLIF(d.tier, '')")], &DAYS, &DAYS),
    ],
    chart: &["member_total"],
};
