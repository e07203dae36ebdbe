//! A changed migration is compiled in again.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
