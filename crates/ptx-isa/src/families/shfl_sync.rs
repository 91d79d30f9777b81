//! `shfl.sync`, values between lanes.

family! { ShflSync "9.7.9.6" { Idx, Up, Down, Bfly }
    Idx: "shfl.sync.idx.b32 r, r, r, 31, r"
        isa "7.0" on "sm_80" = "shfl_sync::idx(n, m, b)";
    Up: "shfl.sync.up.b32 r, r, r, 0, r"
        isa "7.0" on "sm_80" = "shfl_sync::up(n, m, b)";
    Down: "shfl.sync.down.b32 r, r, r, 31, r"
        isa "7.0" on "sm_80" = "shfl_sync::down(n, m, b)";
    Bfly: "shfl.sync.bfly.b32 r, r, r, 31, r"
        isa "7.0" on "sm_80" = "shfl_sync::bfly(n, m, b)";
    Idx | Up | Down | Bfly: "shfl.sync.{idx|up|down|bfly}.b32 r, r, r, r, r"
        isa "7.0" on "sm_80";
    Idx | Up | Down | Bfly: "shfl.sync.{idx|up|down|bfly}.b32 r|p, r, r, r, r"
        isa "7.0" on "sm_80";
    Idx | Up | Down | Bfly: "shfl.sync.{idx|up|down|bfly}.b32 r|_, r, r, r, r"
        isa "7.0" on "sm_80";
}
