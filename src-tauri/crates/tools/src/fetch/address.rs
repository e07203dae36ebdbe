//! Which addresses are nobody's but the person's: this computer, private networks, and what leads there in disguise.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use countersign_core::fetch::Reaches;

/// What kind of address it is that isn't public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The person can let an agent go there.
    Private(&'static str),
    /// Nothing is fetched from there.
    Never(&'static str),
}

/// Why nothing is fetched from an address; none if it may be.
pub(super) fn refused(address: IpAddr, reaches: Reaches) -> Option<&'static str> {
    let kind = match address {
        IpAddr::V4(address) => of_v4(address),
        IpAddr::V6(address) => of_v6(address),
    };
    match (kind?, reaches) {
        (Kind::Never(what), Reaches::Public | Reaches::Private) | (Kind::Private(what), Reaches::Public) => Some(what),
        (Kind::Private(_), Reaches::Private) => None,
    }
}

fn of_v4(address: Ipv4Addr) -> Option<Kind> {
    match address.octets() {
        [0, ..] => Some(Kind::Never("no address of a server")),
        [127, ..] => Some(Kind::Private("this computer")),
        [10, ..] | [192, 168, ..] => Some(Kind::Private("a private network")),
        [172, second, ..] if (16..32).contains(&second) => Some(Kind::Private("a private network")),
        [100, second, ..] if (64..128).contains(&second) => Some(Kind::Private("a provider's inner network")),
        // The addresses at which clouds tell a machine its secrets are among these.
        [169, 254, ..] => Some(Kind::Private("the local link")),
        [192, 0, 0, _] | [192, 88, 99, _] => Some(Kind::Private("set aside for networks' own use")),
        [198, 18 | 19, ..] => Some(Kind::Private("set aside for measuring networks")),
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Some(Kind::Private("set aside for examples")),
        [first, ..] if first >= 240 => Some(Kind::Never("reserved")),
        [first, ..] if first >= 224 => Some(Kind::Never("an address of a group")),
        _ => None,
    }
}

fn of_v6(address: Ipv6Addr) -> Option<Kind> {
    let parts = address.segments();
    match parts {
        [0, 0, 0, 0, 0, 0, 0, 0] => Some(Kind::Never("no address of a server")),
        [0, 0, 0, 0, 0, 0, 0, 1] => Some(Kind::Private("this computer")),
        // No name service gives these; they only hide another address.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] => Some(Kind::Never("an older address in disguise")),
        // How networks without older addresses reach them: it is what it leads to.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let bits = (u32::from(high) << 16) | u32::from(low);
            of_v4(Ipv4Addr::from_bits(bits))
        }
        [first, ..] if first & 0xff00 == 0xff00 => Some(Kind::Never("an address of a group")),
        [first, ..] if first & 0xffc0 == 0xfe80 => Some(Kind::Private("the local link")),
        [first, ..] if first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfec0 => Some(Kind::Private("a private network")),
        [0x2001, second, ..] if second < 0x200 => Some(Kind::Never("an older address in disguise")),
        [0x2002, ..] => Some(Kind::Never("an older address in disguise")),
        [0x2001, 0xdb8, ..] => Some(Kind::Private("set aside for examples")),
        [0x3fff, second, ..] if second < 0x1000 => Some(Kind::Private("set aside for examples")),
        [first, ..] if first & 0xe000 == 0x2000 => None,
        _ => Some(Kind::Never("reserved")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_public_is_known_in_every_disguise() {
        for (address, public, private) in [
            ("93.184.216.34", true, true),
            ("1.1.1.1", true, true),
            ("172.32.0.1", true, true),
            ("100.128.0.1", true, true),
            ("2606:4700:4700::1111", true, true),
            ("64:ff9b::5db8:d822", true, true),
            ("127.0.0.1", false, true),
            ("127.8.9.1", false, true),
            ("10.0.0.1", false, true),
            ("172.16.0.1", false, true),
            ("172.31.255.255", false, true),
            ("192.168.1.1", false, true),
            ("100.64.0.1", false, true),
            ("100.100.100.200", false, true),
            ("169.254.169.254", false, true),
            ("192.0.0.192", false, true),
            ("198.18.0.1", false, true),
            ("203.0.113.5", false, true),
            ("::1", false, true),
            ("fe80::1", false, true),
            ("fd00:ec2::254", false, true),
            ("fec0::1", false, true),
            ("2001:db8::1", false, true),
            ("64:ff9b::7f00:1", false, true),
            ("64:ff9b::a9fe:a9fe", false, true),
            ("0.0.0.0", false, false),
            ("224.0.0.1", false, false),
            ("255.255.255.255", false, false),
            ("::", false, false),
            ("::ffff:127.0.0.1", false, false),
            ("::ffff:93.184.216.34", false, false),
            ("::7f00:1", false, false),
            ("64:ff9b:1::1", false, false),
            ("2001::1", false, false),
            ("2002:7f00:1::", false, false),
            ("ff02::1", false, false),
            ("4000::1", false, false),
        ] {
            let parsed: IpAddr = address.parse().unwrap();
            assert_eq!(refused(parsed, Reaches::Public).is_none(), public, "{address}");
            assert_eq!(
                refused(parsed, Reaches::Private).is_none(),
                private,
                "{address} where private ones are allowed"
            );
        }
    }
}
