//! `ldmatrix`, matrices that a warp loads from shared memory.

family! { Ldmatrix "9.7.14.5.15" { Load, LoadBytes }
    Load: "ldmatrix.sync.aligned.m8n8.{X:x1|x2|x4}{T:|.trans}.b16 {X:{r}|{r,r}|{r,r,r,r}}, [d]"
        isa "7.0" on "sm_80" = "ldmatrix::sync_aligned_m8n8_{X:x1|x2|x4}{T:|_trans}(p)";
    Load: "ldmatrix.sync.aligned.m8n8.{X:x1|x2|x4}{T:|.trans}{S:.shared::cta.b16|.shared.b16} {X:{r}|{r,r}|{r,r,r,r}}, [r]"
        isa "{S:7.8|7.0}" on "sm_80";
    LoadBytes: "ldmatrix.sync.aligned.m16n16.{X:x1|x2}.trans.{T:b8|b8x16.b6x16_p32|b8x16.b4x16_p64} {X:{r,r}|{r,r,r,r}}, [d]"
        isa "8.6" on "sm_100a_or_sm_120a" = "ldmatrix::sync_aligned_m16n16_{X:x1|x2}_trans_{T:b8|b8x16_b6x16_p32|b8x16_b4x16_p64}(p)";
    LoadBytes: "ldmatrix.sync.aligned.m16n16.{X:x1|x2}.trans{.shared::cta|.shared}.{b8|b8x16.b6x16_p32|b8x16.b4x16_p64} {X:{r,r}|{r,r,r,r}}, [r]"
        isa "8.6" on "sm_100a_or_sm_120a";
    LoadBytes: "ldmatrix.sync.aligned.m8n16.{X:x1|x2|x4}.b8x16.{T:b6x16_p32|b4x16_p64} {X:{r}|{r,r}|{r,r,r,r}}, [d]"
        isa "8.6" on "sm_100a_or_sm_120a" = "ldmatrix::sync_aligned_m8n16_{X:x1|x2|x4}_b8x16_{T:b6x16_p32|b4x16_p64}(p)";
    LoadBytes: "ldmatrix.sync.aligned.m8n16.{X:x1|x2|x4}{.shared::cta|.shared}.b8x16.{b6x16_p32|b4x16_p64} {X:{r}|{r,r}|{r,r,r,r}}, [r]"
        isa "8.6" on "sm_100a_or_sm_120a";
}
