# In a new root of Debian, as root: installs the packages that are in /root, makes a store and a hub by the manual, sells,
# upgrades and removes everything. Prints each step; the last line is "done".
set -eu
export DEBIAN_FRONTEND=noninteractive
as_store="runuser -u store-router --"
as_hub="runuser -u cloud-hub --"
json="content-type: application/json"

apt-get update -qq
apt-get install -y -qq --no-install-recommends /root/store-router_*.deb /root/cloud-hub_*.deb curl > /tmp/apt.log 2>&1 \
    || { cat /tmp/apt.log; exit 1; }
echo "installed"

cd /
started=$(date +%s%N)
$as_store store-router init --store-id S1 --prices-include-tax true --tax-rate 11 --currency IDR > /tmp/init.txt
password=$(sed -n 's/.*password \([^ ]*\).*/\1/p' /tmp/init.txt)
printf 'sku,name,price,category,barcode,reorder_level\nA,Apple,5000,,,\n' > /tmp/products.csv
chmod 644 /tmp/products.csv
$as_store store-router import products /tmp/products.csv
$as_store store-router serve 2> /tmp/serve.log &
daemon=$!
until curl -fs localhost:8081/health > /dev/null; do sleep 0.2; done
log_in=$(curl -fsS localhost:8081/api/auth/login -H "$json" -d "{\"username\":\"admin\",\"password\":\"$password\"}")
token=$(echo "$log_in" | sed 's/.*"token":"\([^"]*\)".*/\1/')
post() {
    curl -fsS "localhost:8081$1" -H "$json" -H "authorization: Bearer $token" -H "x-register-id: till-1" -d "$2"
}
post /api/shifts/open '{"opening_float":100000}' > /dev/null
sale=$(post /api/pos/transactions '{"items":[{"sku":"A","qty":1,"price":5000}],
    "payments":[{"method":"cash","amount":5000,"tendered":10000}]}')
echo "$sale" | grep -q '"state":"paid"'
echo "first sale after $(( ($(date +%s%N) - started) / 1000000 )) ms"
$as_store store-router backup
$as_store store-router drill
$as_store store-router doctor
kill "$daemon"
wait "$daemon" || true

$as_hub cloud-hub init
$as_hub cloud-hub backup /var/lib/cloud-hub-backups
$as_hub cloud-hub status

# An upgrade, and the way back, keep settings and data.
dpkg -i /root/store-router_*.deb /root/cloud-hub_*.deb > /tmp/upgrade.log 2>&1 || { cat /tmp/upgrade.log; exit 1; }
grep -q 'id = "S1"' /etc/store-router/config.toml
$as_store store-router verify
$as_hub cloud-hub verify
apt-get purge -y -qq store-router cloud-hub > /tmp/purge.log 2>&1
grep "is kept" /tmp/purge.log
test ! -e /etc/store-router
test ! -e /etc/cloud-hub
test -e /var/lib/store-router/store.json
echo "done"
