#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
use super::*;
use edge::Access;
use std::collections::BTreeSet;

/// The rights, cell by cell: route, then cashier, warehouse_staff, store_manager, admin, and without a token (`p`
/// public, `l` on this machine only).
const TABLE: &str = "
    POST /api/auth/login                    - - - - p
    POST /auth/login                        - - - - p
    POST /api/auth/login/pin                - - - - p
    GET  /api/auth/pin                      x x x x -
    PUT  /api/auth/pin                      x x x x -
    DELETE /api/auth/pin                    x x x x -
    POST /api/auth/refresh                  - - - - p
    POST /auth/refresh                      - - - - p
    POST /api/auth/logout                   x x x x -
    POST /api/auth/password                 x x x x -
    POST /api/auth/webauthn/login/start     - - - - p
    POST /api/auth/webauthn/login/finish    - - - - p
    POST /api/auth/webauthn/confirm/start   x x x x -
    POST /api/auth/webauthn/register/start  x x x x -
    POST /api/auth/webauthn/register/finish x x x x -
    GET  /api/auth/webauthn/credentials     x x x x -
    DELETE /api/auth/webauthn/credentials/:id x x x x -
    GET  /api/members                       - - x x -
    GET  /api/products                      - x x x -
    POST /api/products                      - - x x -
    POST /api/products/import               - - x x -
    GET  /api/products/:sku                 - x x x -
    PATCH /api/products/:sku                - - x x -
    POST /api/stock/opening                 - - x x -
    POST /api/stock/opening/import          - - x x -
    GET  /api/admin/setup                   - - x x -
    GET  /api/staff                         x x x x -
    GET  /api/users                         - - x x -
    POST /api/users                         - - x x -
    GET  /api/users/:id                     - - x x -
    PATCH /api/users/:id                    - - x x -
    POST /api/users/:id/revoke-tokens       - - x x -
    GET  /api/users/:id/devices             - - x x -
    DELETE /api/users/:id/devices/:credential_id - - x x -
    GET  /api/auth/me                       x x x x -
    POST /api/shifts/open                   x - x x -
    POST /api/shifts/:id/registers          x - x x -
    POST /api/shifts/:id/close              x - x x -
    GET  /api/shifts/current                x - x x -
    GET  /api/shifts/:id/summary            x - x x -
    GET  /api/shifts                        x - x x -
    GET  /api/shifts/:id                    x - x x -
    GET  /api/shifts/:id/report             x - x x -
    POST /api/shifts/:id/end                x - x x -
    POST /api/shifts/:id/recounts           - - x x -
    GET  /api/shifts/:id/cash-movements     x - x x -
    POST /api/shifts/:id/cash-movements     x - x x -
    POST /api/shifts/:id/cash-movements/:cash_id/reverse x - x x -
    GET  /api/registers                     - - x x -
    POST /api/registers                     - - x x -
    PATCH /api/registers/:id                - - x x -
    GET  /api/days                          - - x x -
    GET  /api/days/:date                    - - x x -
    POST /api/days/:date/seal               - - x x -
    POST /api/days/:date/unseal             - - - x -
    GET  /api/safe                          - - x x -
    POST /api/safe/opening                  - - x x -
    POST /api/deposits                      - - x x -
    POST /api/deposits/:id/reverse          - - x x -
    GET  /api/audit                         - - x x -
    GET  /api/pos/settings                  x x x x -
    GET  /api/pos/status                    x x x x -
    POST /api/pos/transactions              x - x x -
    GET  /api/pos/transactions              x - x x -
    GET  /api/pos/transactions/:id          x - x x -
    POST /api/pos/transactions/:id/pay      x - x x -
    PATCH /api/pos/transactions/:id         x - x x -
    POST /api/pos/transactions/:id/lines    x - x x -
    PATCH /api/pos/transactions/:id/lines/:line_no x - x x -
    DELETE /api/pos/transactions/:id/lines/:line_no x - x x -
    POST /api/pos/transactions/:id/void     x - x x -
    POST /api/pos/transactions/:id/payments/:payment_id/reverse x - x x -
    POST /api/pos/transactions/:id/correct-tender x - x x -
    POST /api/pos/holds                     x - x x -
    GET  /api/pos/holds                     x - x x -
    GET  /api/pos/holds/:id                 x - x x -
    POST /api/pos/holds/:id/recall          x - x x -
    POST /api/pos/returns                   x - x x -
    POST /api/pos/returns/quote             x - x x -
    GET  /api/pos/returns                   x - x x -
    GET  /api/pos/returns/:id               x - x x -
    POST /api/pos/returns/:id/void          x - x x -
    GET  /api/pos/products                  x - x x -
    GET  /api/pos/products/:sku             x - x x -
    GET  /api/pos/quick-keys                x - x x -
    PUT  /api/pos/quick-keys                - - x x -
    GET  /api/pos/reasons                   x - x x -
    GET  /api/pos/receipts/:receipt_no      x - x x -
    POST /api/pos/receipts/:receipt_no/prints x - x x -
    POST /api/shifts/:id/prints             x - x x -
    GET  /api/print-jobs/:id                x - x x -
    GET  /api/prices/effective              x x x x -
    GET  /api/pos/labels                    x x x x -
    GET  /api/stock                         - x x x -
    GET  /api/stock/:sku                    - x x x -
    GET  /api/stock/:sku/movements          - x x x -
    POST /api/receiving                     - x x x -
    GET  /api/receiving/:id                 - x x x -
    POST /api/members                       x - x x -
    GET  /api/members/search                x - x x -
    GET  /api/members/:id                   x - x x -
    PATCH /api/members/:id                  - - x x -
    GET  /api/members/:id/points            x - x x -
    POST /api/members/:id/points/adjust     - - x x -
    POST /api/members/:id/erase             - - x x -
    GET  /api/categories                    x x x x -
    GET  /api/stock/valuation               - x x x -
    PATCH /api/stock/:sku                   - x x x -
    GET  /api/receiving                     - x x x -
    POST /api/receiving/:id/resubmit        - - x x -
    POST /api/receiving/:id/reverse         - - x x -
    POST /api/supplier-returns              - x x x -
    GET  /api/supplier-returns              - x x x -
    GET  /api/supplier-returns/:id          - x x x -
    GET  /api/stores                        - x x x -
    GET  /api/suppliers                     - x x x -
    GET  /api/purchase-orders               - x x x -
    GET  /api/purchase-orders/:id           - x x x -
    POST /api/adjustments                   - x x x -
    GET  /api/adjustments                   - x x x -
    GET  /api/adjustments/:id               - x x x -
    POST /api/adjustments/:id/approve       - - x x -
    POST /api/adjustments/:id/reject        - - x x -
    POST /api/adjustments/:id/reverse       - - x x -
    POST /api/transfers                     - x x x -
    GET  /api/transfers                     - x x x -
    GET  /api/transfers/:id                 - x x x -
    POST /api/transfers/:id/send            - x x x -
    POST /api/transfers/:id/receive         - x x x -
    POST /api/transfers/:id/resolve         - - x x -
    POST /api/transfers/:id/cancel          - x x x -
    POST /api/opname                        - x x x -
    GET  /api/opname                        - x x x -
    GET  /api/opname/:id                    - x x x -
    GET  /api/opname/:id/uncounted          - x x x -
    GET  /api/opname/:id/lookup             - x x x -
    GET  /api/opname/:id/differences        - - x x -
    POST /api/opname/:id/counts             - x x x -
    POST /api/opname/:id/submit             - x x x -
    POST /api/opname/:id/recount            - x x x -
    POST /api/opname/:id/post               - - x x -
    POST /api/opname/:id/cancel             - - x x -
    POST /api/events/ticket                 x x x x -
    GET  /api/events                        x x x x -
    GET  /api/reports/daily                 - - x x -
    GET  /api/reports/sales                 - - x x -
    GET  /api/reports/stock                 - - x x -
    GET  /api/sync/status                   - - x x -
    POST /api/sync/force                    - - x x -
    GET  /api/parked                        - - x x -
    GET  /api/sync/digests                  - - x x -
    GET  /api/conflicts                     - - x x -
    POST /api/conflicts/:id/restore         - - x x -
    GET  /api/admin/actors                  - - x x -
    POST /api/admin/actors/:name/restart    - - - x -
    GET  /api/admin/settings                - - x x -
    PATCH /api/admin/settings               - - x x -
    GET  /api/admin/work                    - - x x -
    POST /api/admin/verify                  - - x x -
    POST /api/admin/backup                  - - x x -
    GET  /health                            - - - - p
    GET  /health/ready                      - - - - p
    GET  /metrics                           - - - x l
    GET  /api/openapi.json                  - - - - p
    GET  /api/openapi-3.0.json              - - - - p
    GET  /docs                              - - - - p
    GET  /passkeys                          - - - - p
    GET  /admin                             - - - - p
    GET  /pos                               - - - - p
    GET  /ui/:build/:folder/:file           - - - - p
";

fn cells(access: &Access) -> String {
    let (roles, open): (&[Role], &str) = match access {
        Access::Public => (&[], "p"),
        Access::LoopbackOr(roles) => (roles, "l"),
        Access::Roles(roles) | Access::CookieOr(roles) => (roles, "-"),
        Access::SyncToken => (&[], "s"),
    };
    let ticks = [Cashier, WarehouseStaff, StoreManager, Admin]
        .map(|role| if roles.contains(&role) { "x" } else { "-" });
    format!("{} {open}", ticks.join(" "))
}

#[test]
fn every_cell_of_the_role_table_holds() {
    let mut expected: BTreeSet<String> =
        TABLE.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    expected.remove("");
    let found: BTreeSet<String> = ROUTES
        .iter()
        .map(|route| format!("{} {} {}", route.method, route.pattern, cells(&route.access)))
        .collect();
    assert_eq!(found, expected);
    assert_eq!(found.len(), ROUTES.len(), "a route stands twice");
}

#[test]
fn head_office_roles_have_no_part_in_a_store() {
    for route in ROUTES {
        if let Access::Roles(roles) | Access::CookieOr(roles) | Access::LoopbackOr(roles) = route.access {
            assert!(
                !roles.contains(&Role::HoFinance) && !roles.contains(&Role::HoPurchasing),
                "{}",
                route.pattern
            );
        }
    }
}

#[test]
fn a_route_that_changes_data_is_not_a_get() {
    for route in ROUTES {
        assert_eq!(route.mutates, route.method != "GET", "{} {}", route.method, route.pattern);
    }
}
