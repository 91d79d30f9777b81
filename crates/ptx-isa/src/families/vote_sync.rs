//! `vote.sync`, predicates of all lanes.

family! { VoteSync "9.7.13.9" { Ballot, All, Any, Uni }
    Ballot: "vote.sync.ballot.b32 r, p, r"
        isa "7.0" on "sm_80" = "vote_sync::ballot(n, m != 0)";
    All | Any: "vote.sync.{all|any}.pred p, p, r"
        isa "7.0" on "sm_80" = "vote_sync::{all|any}(n, m != 0)";
    Uni: "vote.sync.uni.pred p, p, r"
        isa "7.0" on "sm_80";
}
