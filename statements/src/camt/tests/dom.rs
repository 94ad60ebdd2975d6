//! A second reader, independent of the first: it parses a file into a tree and searches it.

use jiff::civil::Date;

#[derive(Debug, Default)]
pub struct Node {
    name: String,
    currency: String,
    text: String,
    children: Vec<Node>,
}

impl Node {
    /// The tree of well-formed XML without a document type.
    pub fn parse(text: &str) -> Self {
        let mut stack = vec![Self::default()];
        let mut rest = text;
        while let Some(start) = rest.find('<') {
            let top = stack.last_mut().unwrap();
            top.text.push_str(&plain(&rest[..start]));
            rest = &rest[start..];
            for (begins, ends) in [("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>")] {
                if rest.starts_with(begins) {
                    let end = rest.find(ends).unwrap();
                    if begins == "<![CDATA[" {
                        stack.last_mut().unwrap().text.push_str(&rest[begins.len()..end]);
                    }
                    rest = &rest[end + ends.len()..];
                }
            }
            if !rest.starts_with('<') {
                continue;
            }
            let end = rest.find('>').unwrap();
            let tag = &rest[1..end];
            if tag.starts_with(['!', '?']) {
                continue;
            }
            rest = &rest[end + 1..];
            if tag.starts_with('/') {
                let done = stack.pop().unwrap();
                stack.last_mut().unwrap().children.push(done);
                continue;
            }
            let (body, closed) = tag.strip_suffix('/').map_or((tag, false), |body| (body, true));
            let name = body.split_whitespace().next().unwrap();
            let name = name.rsplit(':').next().unwrap().to_owned();
            let currency = body.split("Ccy=").nth(1).map(|value| value[1..4].to_owned()).unwrap_or_default();
            let node = Self { name, currency, ..Self::default() };
            match closed {
                true => stack.last_mut().unwrap().children.push(node),
                false => stack.push(node),
            }
        }
        stack.pop().unwrap()
    }

    fn all<'a>(&'a self, path: &str) -> Vec<&'a Self> {
        let mut found = vec![self];
        for name in path.split('/') {
            found = found
                .iter()
                .flat_map(|node| node.children.iter().filter(|child| child.name == name))
                .collect();
        }
        found
    }

    fn texts(&self, path: &str) -> Vec<String> {
        self.all(path).iter().map(|node| node.text.trim().to_owned()).collect()
    }

    fn first(&self, path: &str) -> String {
        self.texts(path).into_iter().next().unwrap_or_default()
    }

    fn statements(&self) -> Vec<&Self> {
        if self.name == "Stmt" {
            vec![self]
        } else {
            self.children.iter().flat_map(Self::statements).collect()
        }
    }
}

fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&#38;", "&").replace("&amp;", "&")
}

fn figure(node: &Node) -> i64 {
    node.text.trim().split('.').next().unwrap().parse().unwrap()
}

fn sign(node: &Node, usual: i64) -> i64 {
    match node.first("CdtDbtInd").as_str() {
        "CRDT" => 1,
        "DBIT" => -1,
        _ => usual,
    }
}

fn named(text: &str) -> Option<String> {
    let known = ["NOTPROVIDED", "NONREF", "-", ""].contains(&text);
    (!known).then(|| text.to_owned())
}

/// Day, reference and net of the lines of an account.
pub type Line = (Date, String, i64);

pub fn lines(text: &str, account: &str) -> Vec<Line> {
    let tree = Node::parse(text);
    let own = tree.statements().into_iter().filter(|node| node.first("Acct/Id/IBAN") == account);
    own.flat_map(|node| node.all("Ntry")).flat_map(of_entry).collect()
}

fn of_entry(entry: &Node) -> Vec<Line> {
    let status = [entry.first("Sts/Cd"), entry.first("Sts")].into_iter().find(|status| !status.is_empty());
    if status.is_some_and(|status| status != "BOOK") {
        return Vec::new();
    }
    let days = ["BookgDt/Dt", "BookgDt/DtTm", "ValDt/Dt", "ValDt/DtTm"].map(|path| entry.first(path));
    let day: Date = days.into_iter().find(|day| !day.is_empty()).unwrap()[..10].parse().unwrap();
    let direction = sign(entry, 0);
    let net = direction * figure(entry.all("Amt")[0]);
    let details = entry.all("NtryDtls/TxDtls");
    let own = named(&entry.first("AcctSvcrRef"));
    let reference = |detail: &Node| {
        let of_detail = ["Refs/EndToEndId", "RmtInf/Strd/CdtrRefInf/Ref"];
        of_detail.iter().find_map(|path| named(&detail.first(path)))
    };
    let amounts: Vec<Option<i64>> = details
        .iter()
        .map(|detail| {
            let paths = ["Amt", "AmtDtls/TxAmt/Amt"];
            let found = paths.iter().flat_map(|path| detail.all(path)).find(|money| money.currency == "IDR");
            found.map(|money| sign(detail, direction) * figure(money))
        })
        .collect();
    let whole =
        amounts.iter().copied().collect::<Option<Vec<i64>>>().filter(|all| all.iter().sum::<i64>() == net);
    match details.as_slice() {
        [one] if amounts[0].is_none_or(|amount| amount == net) => {
            vec![(day, reference(one).or(own).unwrap_or_default(), net)]
        }
        [_, _, ..] if whole.is_some() => {
            let amounts = whole.unwrap().into_iter();
            let each = details.iter().zip(amounts);
            each.map(|(detail, amount)| (day, reference(detail).unwrap_or_default(), amount)).collect()
        }
        _ => vec![(day, own.unwrap_or_default(), net)],
    }
}
