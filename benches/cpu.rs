//! What the host side costs.

fn main() {
    divan::main();
}
