use super::{Items, NO_ITEM, Pipeline};
use crate::{
    barrier::{Barrier, Transaction, ring::Cursor},
    group::Block,
    pipeline::stamps::{Role, Stamps, Step},
    ptx::{cp_async_bulk, operand::SharedPtr},
    tile::stores::Stores,
};

impl Block {
    /// Moves items through shared memory: one thread of the block loads all stages but one ahead, and stores
    /// each item from the stage that it was loaded into. Collective.
    ///
    /// Needs the memory of a [`Pipeline`] with stages of `len` elements. `items` deals out
    /// `STAGES - 1` of the block's own first: see [`Items::drawn`].
    #[inline(always)]
    pub fn stream<T, const STAGES: u32>(
        self,
        memory: SharedPtr<T>,
        len: u32,
        mut items: Items<'_>,
        load: impl Fn(u32, &mut Transaction<'_>, SharedPtr<T>),
        store: impl Fn(u32, &mut Stores, SharedPtr<T>),
    ) {
        const {
            assert!(
                STAGES >= 2,
                "one stage is loaded while another one is stored"
            )
        };
        if !self.elect() {
            return;
        }
        let pipeline = Pipeline::<T, STAGES> {
            stages: memory,
            len,
            block: self,
        };
        let mut cursor = Cursor::new();
        for _ in 0..STAGES {
            // SAFETY: this thread alone uses the barriers, in memory that is for them alone (3 of
            // `converged`).
            unsafe { Barrier::init(pipeline.full(cursor).address(), 1) };
            cursor.advance();
        }
        let mut stamps = Stamps::begin(Role::Stream, STAGES, true)
            .of_elected()
            .began();
        let fetch = |at: Cursor<STAGES>, item: Option<u32>, stamps: Stamps| {
            // SAFETY: the number is this thread's.
            unsafe { pipeline.item(at).write(item.unwrap_or(NO_ITEM)) };
            if let Some(item) = item {
                let full = pipeline.full(at);
                let mut loads = full.transaction();
                load(item, &mut loads, pipeline.stage(at));
                let bytes = loads.bytes();
                let _ = loads.arrive();
                stamps.stamp(Step::Issued, stamps.now(), bytes);
            }
        };
        // A number is drawn when the copy for the last one has been started.
        let fetch_and_draw = |at: Cursor<STAGES>, items: &mut Items<'_>, stamps: Stamps| {
            let item = items.peek();
            fetch(at, item, stamps);
            if item.is_some() {
                items.advance();
            }
        };
        let mut spare = Cursor::new();
        for ahead in 0..STAGES - 2 {
            fetch(spare, items.peek(), stamps.ahead(ahead));
            items.advance_own();
            spare.advance();
        }
        fetch_and_draw(spare, &mut items, stamps.ahead(STAGES - 2));
        spare.advance();
        let mut cursor = Cursor::new();
        loop {
            // SAFETY: this thread wrote the number.
            let item = unsafe { pipeline.item(cursor).read() };
            // Later items do not exist either.
            if item == NO_ITEM {
                break;
            }
            let since = stamps.now();
            pipeline.ring().wait(cursor);
            let full = [since, stamps.now()];
            let mut stores = Stores::new();
            store(item, &mut stores, pipeline.stage(cursor));
            // The item before has left the spare stage when only this one is still being read.
            let group = stores.commit();
            let stored = stamps.now();
            group.wait_read_but::<1>();
            let stored = [stored, stamps.now()];
            fetch_and_draw(spare, &mut items, stamps.ahead(STAGES - 1));
            stamps.waited(Step::Full, full);
            stamps.stored(stored);
            spare = cursor;
            cursor.advance();
            stamps.advance();
        }
        // The stages end with the block.
        cp_async_bulk::wait_group_read::<0>();
        stamps.end();
    }
}
