//! `mma`, products of matrices in the registers of a warp.

family! { Mma "9.7.14.5.14, 9.7.14.6" { Dense, Sparse, Scaled }
    Dense: "mma.sync.aligned.m8n8k4.{row|col}.{row|col}.{D:f32.f16.f16.f32|f32.f16.f16.f16|f16.f16.f16.f16} {D:{r,r,r,r,r,r,r,r}|{r,r,r,r,r,r,r,r}|{r,r,r,r}}, {r,r}, {r,r}, {D:{r,r,r,r,r,r,r,r}|{r,r,r,r}|{r,r,r,r}}"
        isa "7.0" on "sm_80";
    Dense: "mma.sync.aligned.m16n8{K:k8|k16}.row.col.{D:f32|f16}.f16.f16.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {K:{r,r}|{r,r,r,r}}, {K:{r}|{r,r}}, {D:{r,r,r,r}|{r,r}}"
        isa "7.0" on "sm_80";
    Dense: "mma.sync.aligned.m16n8{K:k8|k16}.row.col.f32.bf16.bf16.f32 {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r}|{r,r}}, {r,r,r,r}"
        isa "7.0" on "sm_80";
    Dense: "mma.sync.aligned.m16n8{K:k4|k8}.row.col.f32.tf32.tf32.f32 {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r}|{r,r}}, {r,r,r,r}"
        isa "7.0" on "sm_80";
    Dense: "mma.sync.aligned.m16n8{K:k32|k32|k16|k16}.row.col.{K:f32|f16|f32|f16}.{e4m3|e5m2}.{e4m3|e5m2}.{K:f32|f16|f32|f16} {K:{r,r,r,r}|{r,r}|{r,r,r,r}|{r,r}}, {K:{r,r,r,r}|{r,r,r,r}|{r,r}|{r,r}}, {K:{r,r}|{r,r}|{r}|{r}}, {K:{r,r,r,r}|{r,r}|{r,r,r,r}|{r,r}}"
        isa "{K:8.4|8.7|8.7|8.7}" on "sm_90";
    Dense: "mma.sync.aligned.m8n8k4.row.col.{|rn.|rz.|rm.|rp.}f64.f64.f64.f64 {d,d}, {d}, {d}, {d,d}"
        isa "7.0" on "sm_80";
    Dense: "mma.sync.aligned.m16n8{K:k4|k8|k16}.row.col.{|rn.|rz.|rm.|rp.}f64.f64.f64.f64 {d,d,d,d}, {K:{d,d}|{d,d,d,d}|{d,d,d,d,d,d,d,d}}, {K:{d}|{d,d}|{d,d,d,d}}, {d,d,d,d}"
        isa "7.8" on "sm_90";
    Dense: "mma.sync.aligned.m8n8{T:k16|k32}.row.col.{|satfinite.}s32.{s|u}{T:8|4}.{s|u}{T:8|4}.s32 {r,r}, {r}, {r}, {r,r}"
        isa "7.0" on "sm_80";
    Dense: "mma.sync.aligned.m16n8{T:k16|k32|k32|k64}.row.col.{|satfinite.}s32.{s|u}{T:8|8|4|4}.{s|u}{T:8|8|4|4}.s32 {r,r,r,r}, {T:{r,r}|{r,r,r,r}|{r,r}|{r,r,r,r}}, {T:{r}|{r,r}|{r}|{r,r}}, {r,r,r,r}"
        isa "7.0" on "sm_80";
    Dense: "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.{xor|and}.popc {r,r}, {r}, {r}, {r,r}"
        isa "{7.0|7.1}" on "sm_80";
    Dense: "mma.sync.aligned.m16n8{K:k128|k256}.row.col.s32.b1.b1.s32.{V:xor|and}.popc {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r}|{r,r}}, {r,r,r,r}"
        isa "{V:7.0|7.1}" on "sm_80";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8{K:k16|k32}.row.col.{D:f32|f16}.f16.f16.{D:f32|f16} {D:{r,r,r,r}|{r,r}}, {K:{r,r}|{r,r,r,r}}, {K:{r,r}|{r,r,r,r}}, {D:{r,r,r,r}|{r,r}}, r, 0"
        isa "{V:7.1|8.5}" on "sm_80";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8{K:k16|k32}.row.col.f32.bf16.bf16.f32 {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r,r}|{r,r,r,r}}, {r,r,r,r}, r, 0"
        isa "{V:7.1|8.5}" on "sm_80";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8{K:k8|k16}.row.col.f32.tf32.tf32.f32 {r,r,r,r}, {K:{r,r}|{r,r,r,r}}, {K:{r,r}|{r,r,r,r}}, {r,r,r,r}, r, 0"
        isa "{V:7.1|8.5}" on "sm_80";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8{T:k32|k64|k64|k128}.row.col.{|satfinite.}s32.{s|u}{T:8|8|4|4}.{s|u}{T:8|8|4|4}.s32 {r,r,r,r}, {T:{r,r}|{r,r,r,r}|{r,r}|{r,r,r,r}}, {T:{r,r}|{r,r,r,r}|{r,r}|{r,r,r,r}}, {r,r,r,r}, r, 0"
        isa "{V:7.1|8.5}" on "sm_80";
    Sparse: "mma.{V:sp|sp::ordered_metadata}.sync.aligned.m16n8k64.row.col.f32.{e4m3|e5m2}.{e4m3|e5m2}.f32 {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, {r,r,r,r}, r, 0"
        isa "{V:8.4|8.5}" on "sm_90";
}
