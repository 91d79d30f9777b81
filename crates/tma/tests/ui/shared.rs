use tma::shared;

shared! {
    static UNALIGNED: [u32; 4] align 24;
}

shared! {
    static WORD: u32 aligned 16;
}

fn main() {}
