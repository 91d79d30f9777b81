//! `stmatrix`, matrices that a warp stores to shared memory.

family! { Stmatrix "9.7.14.5.16" { Store, StoreBytes }
    Store: "stmatrix.sync.aligned.m8n8.{X:x1|x2|x4}{T:|.trans}.b16 [d], {X:{r}|{r,r}|{r,r,r,r}}"
        isa "7.8" on "sm_90" = "stmatrix::sync_aligned_m8n8_{X:x1|x2|x4}{T:|_trans}(p, {X:[n]|[n, m]|[n, m, b, c]})";
    Store: "stmatrix.sync.aligned.m8n8.{X:x1|x2|x4}{T:|.trans}{.shared::cta.b16|.shared.b16} [r], {X:{r}|{r,r}|{r,r,r,r}}"
        isa "7.8" on "sm_90";
    StoreBytes: "stmatrix.sync.aligned.m16n8.{X:x1|x2|x4}.trans.b8 [d], {X:{r}|{r,r}|{r,r,r,r}}"
        isa "8.6" on "sm_100a_or_sm_120a" = "stmatrix::sync_aligned_m16n8_{X:x1|x2|x4}_trans_b8(p, {X:[n]|[n, m]|[n, m, b, c]})";
    StoreBytes: "stmatrix.sync.aligned.m16n8.{X:x1|x2|x4}.trans{.shared::cta|.shared}.b8 [r], {X:{r}|{r,r}|{r,r,r,r}}"
        isa "8.6" on "sm_100a_or_sm_120a";
}
