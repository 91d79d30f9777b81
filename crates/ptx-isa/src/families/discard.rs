//! `discard`, bytes that need not be written back.

family! { Discard "9.7.9.17" { Line }
    Line: "discard{.global|}.L2 [d], 128"
        isa "7.4" on "sm_80" = "discard::l2({global(p)|p})";
}
