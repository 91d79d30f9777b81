//! Device memory, memory shared with the host, and copies.

use crate::{
    allocations::{Allocation, AllocationKind, SHARED_END, behind},
    code::{Code, Result},
    context::Context,
    ffi::{FromC, Pointer},
    sides::Side,
};

/// A part of a shared allocation, compared and copied as a whole.
struct SharedPart {
    address: u64,
    bytes: usize,
}

const PART_BYTES: usize = 1 << 16;

/// Allocates zeros that use no memory until accessed; `None` if there is not enough.
fn zeros(bytes: usize) -> Option<Vec<u8>> {
    if bytes == 0 {
        return Some(Vec::new());
    }
    let layout = std::alloc::Layout::array::<u8>(bytes).ok()?;
    // SAFETY: the layout has a size that is not zero.
    let start = unsafe { std::alloc::alloc_zeroed(layout) };
    if start.is_null() {
        return None;
    }
    // SAFETY: the global allocator returned zeroed bytes with this size and alignment.
    Some(unsafe { Vec::from_raw_parts(start, bytes, bytes) })
}

/// Maps host memory at an unused address.
fn map(address: u64, bytes: usize) -> Option<()> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: with `MAP_FIXED_NOREPLACE` existing mappings do not change.
    let mapped = unsafe { libc::mmap(address as *mut _, bytes, protection, flags, -1, 0) };
    (mapped as u64 == address).then_some(())
}

/// Returns the start of a shared allocation.
fn host(address: u64) -> Pointer {
    // SAFETY: `map` returned this memory, or the program registered it and frees it later (1).
    unsafe { Pointer::from_c(address as *mut _) }
}

impl Context {
    /// Allocates zeros for an allocation.
    fn contents(&mut self, bytes: usize, call: &str) -> Result<Vec<u8>> {
        zeros(bytes).ok_or_else(|| self.machine_lacks(bytes, call))
    }

    /// Reports that this machine has less memory than the device.
    fn machine_lacks(&mut self, bytes: usize, call: &str) -> Code {
        let free = self.space.free_bytes();
        let what = format!(
            "{call}: this machine cannot allocate {bytes} bytes, although {free} bytes of the device are free"
        );
        self.wrong(Code::OUT_OF_MEMORY, &what)
    }

    /// Allocates zeroed device memory.
    pub(crate) fn allocate(&mut self, bytes: usize, call: &str) -> Result<u64> {
        let number = self.space.take(bytes)?;
        let contents = self.contents(bytes, call)?;
        let address = self.space.reserve(bytes)?;
        self.add(
            address,
            contents,
            AllocationKind::Device,
            &format!("{call} {number}"),
        )?;
        Ok(address)
    }

    /// Allocates memory of a graph at its reserved address.
    pub(crate) fn allocate_of_graph(&mut self, address: u64, bytes: usize, frees: bool) -> Result {
        if self.space.all.contains_key(&address) {
            if !frees {
                let what = format!(
                    "cudaGraphLaunch: the memory at {address:#x}, allocated by the previous launch of the graph, was not \
                     freed; free it, or instantiate the graph with cudaGraphInstantiateFlagAutoFreeOnLaunch"
                );
                return Err(self.wrong(Code::INVALID_VALUE, &what));
            }
            self.free_at(address, &[AllocationKind::Device], "cudaGraphLaunch")?;
        }
        let number = self.space.take(bytes)?;
        let contents = self.contents(bytes, "cudaGraphLaunch")?;
        let name = format!("memory of a graph {number}");
        self.add(address, contents, AllocationKind::Device, &name)?;
        let now = self.space.graph_memory().bytes;
        self.space.most_of_graphs = self.space.most_of_graphs.max(now);
        Ok(())
    }

    /// Allocates host memory accessible to kernels.
    pub(crate) fn allocate_shared(
        &mut self,
        bytes: usize,
        kind: AllocationKind,
        call: &str,
    ) -> Result<u64> {
        let number = self.space.take(bytes)?;
        let contents = self.contents(bytes, call)?;
        let address = self.space.next_shared;
        let next = behind(address, bytes, SHARED_END)?;
        map(address, bytes.max(1)).ok_or_else(|| self.machine_lacks(bytes, call))?;
        self.space.next_shared = next;
        self.add(address, contents, kind, &format!("{call} {number}"))?;
        Ok(address)
    }

    /// Makes host memory accessible to kernels.
    pub(crate) fn register(&mut self, pointer: Pointer, bytes: usize) -> Result {
        let address = pointer.address();
        if address == 0 || bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        self.check_host(pointer, bytes, "cudaHostRegister")?;
        let is_known = self.space.find(address).is_some();
        let name = format!("cudaHostRegister {address:#x}");
        let contents = self.contents(bytes, &name)?;
        if is_known
            || self
                .add(address, contents, AllocationKind::Registered, &name)
                .is_err()
        {
            return Err(Code::ALREADY_REGISTERED);
        }
        Ok(())
    }

    /// Maps host memory over emulator memory with the same contents.
    pub(crate) fn manage(&mut self, address: u64, bytes: usize) -> Result {
        map(address, bytes.max(1)).ok_or(Code::OUT_OF_MEMORY)?;
        let contents = self.session.read(address, bytes);
        let contents = contents.map_err(|_| Code::INVALID_SYMBOL)?;
        host(address).write_host(contents)?;
        let allocation = Allocation {
            address,
            bytes,
            kind: AllocationKind::Managed,
        };
        self.space.all.insert(address, allocation);
        Ok(())
    }

    fn add(&mut self, address: u64, contents: Vec<u8>, kind: AllocationKind, name: &str) -> Result {
        let bytes = contents.len();
        let placed = self.session.place(name, contents, address);
        placed.map_err(|_| Code::OUT_OF_MEMORY)?;
        if kind != AllocationKind::Registered {
            self.space.used += bytes as u64;
        }
        let allocation = Allocation {
            address,
            bytes,
            kind,
        };
        self.space.all.insert(address, allocation);
        Ok(())
    }

    /// Frees memory on behalf of `cudaFree`.
    pub(crate) fn free_memory(&mut self, pointer: Pointer, call: &str) -> Result {
        self.free(
            pointer,
            &[AllocationKind::Device, AllocationKind::Managed],
            call,
        )
    }

    /// Frees an allocation of one of these kinds; ignores a null pointer.
    pub(crate) fn free(
        &mut self,
        pointer: Pointer,
        kinds: &[AllocationKind],
        call: &str,
    ) -> Result {
        match pointer.address() {
            0 => Ok(()),
            address => self.free_at(address, kinds, call),
        }
    }

    fn free_at(&mut self, address: u64, kinds: &[AllocationKind], call: &str) -> Result {
        let found = self.space.all.get(&address).copied();
        let Some(found) = found.filter(|found| kinds.contains(&found.kind)) else {
            let what = match self.session.freed(address) {
                Some(freed) => format!("{call}: {address:#x} was already freed: {freed}"),
                None => format!("{call}: no allocation begins at {address:#x}"),
            };
            return Err(self.wrong(Code::INVALID_VALUE, &what));
        };
        self.space.all.remove(&address);
        let when = match self.launches {
            0 => "before the first launch".to_owned(),
            launches => format!("after launch number {launches}"),
        };
        let freed = self.session.free_by(address, &format!("`{call}` {when}"));
        freed.map_err(|_| Code::INVALID_VALUE)?;
        if found.kind != AllocationKind::Registered {
            self.space.used -= found.bytes as u64;
        }
        if matches!(found.kind, AllocationKind::Pinned | AllocationKind::Managed) {
            // SAFETY: `map` returned it, and the program has freed it.
            unsafe { libc::munmap(address as *mut _, found.bytes.max(1)) };
        }
        Ok(())
    }

    /// Copies the host's changes in shared memory to the emulator.
    pub(crate) fn take_over(&mut self) -> Result {
        for SharedPart { address, bytes } in self.shared() {
            let written = host(address).host_bytes(bytes)?;
            let device = self.session.read(address, bytes);
            if device.map_err(|_| Code::UNKNOWN)? != written {
                let written = self.session.write(address, &written);
                written.map_err(|_| Code::UNKNOWN)?;
            }
        }
        Ok(())
    }

    /// Copies the kernels' changes in shared memory to the host.
    pub(crate) fn give_back(&mut self) -> Result {
        for SharedPart { address, bytes } in self.shared() {
            let device = self.session.read(address, bytes);
            let device = device.map_err(|_| Code::UNKNOWN)?;
            if device != host(address).host_bytes(bytes)? {
                host(address).write_host(device)?;
            }
        }
        Ok(())
    }

    /// Returns the parts of shared memory. Usually neither side has changed a part, and then it is not copied.
    fn shared(&self) -> Vec<SharedPart> {
        let all = self.space.all.values();
        let shared = all.filter(|one| one.kind != AllocationKind::Device);
        let parts = shared.flat_map(|one| {
            (0..one.bytes).step_by(PART_BYTES).map(|at| SharedPart {
                address: one.address + at as u64,
                bytes: PART_BYTES.min(one.bytes - at),
            })
        });
        parts.collect()
    }

    /// Copies bytes between any two sides.
    pub(crate) fn copy(&mut self, to: Pointer, from: Pointer, bytes: usize, call: &str) -> Result {
        if bytes == 0 {
            return Ok(());
        }
        let contents = self.read(from, bytes, call)?;
        self.write(to, &contents, call)
    }

    /// Copies rows of bytes with a pitch on each side.
    pub(crate) fn copy_rows(
        &mut self,
        [to, from]: [(Pointer, usize); 2],
        [width, rows]: [usize; 2],
        call: &str,
    ) -> Result {
        if width > to.1 || width > from.1 {
            return Err(Code::INVALID_PITCH);
        }
        // Rows without bytes are skipped, whatever their number.
        let rows = if width == 0 { 0 } else { rows };
        if rows > 1 {
            for (start, pitch) in [to, from] {
                self.check_reach(start.row(rows - 1, pitch, 0)?, width, call)?;
            }
        }
        (0..rows).try_for_each(|row| {
            let [to, from] = [to, from].map(|(start, pitch)| start.row(row, pitch, 0));
            self.copy(to?, from?, width, call)
        })
    }

    /// Fills memory with an element of 1, 2 or 4 bytes.
    pub(crate) fn fill(&mut self, to: Pointer, element: &[u8], count: usize, call: &str) -> Result {
        /// Number of elements to write at a time.
        const PART: usize = 1 << 18;
        if count == 0 {
            return Ok(());
        }
        self.check_device(to, call)?;
        let bytes = element.len().checked_mul(count);
        let bytes = bytes.ok_or(Code::INVALID_VALUE)?;
        self.check_reach(to, bytes, call)?;
        let part = element.repeat(count.min(PART));
        let mut starts = (0..bytes).step_by(part.len());
        starts.try_for_each(|start| {
            let part = &part[..part.len().min(bytes - start)];
            self.write(to.row(1, start, 0)?, part, call)
        })
    }

    /// Fills rows of elements, `pitch` bytes apart.
    pub(crate) fn fill_rows(
        &mut self,
        (to, pitch): (Pointer, usize),
        element: &[u8],
        [count, rows]: [usize; 2],
        call: &str,
    ) -> Result {
        let width = element.len().checked_mul(count);
        if rows > 1 && width.is_none_or(|width| width > pitch) {
            return Err(Code::INVALID_VALUE);
        }
        let rows = if count == 0 { 0 } else { rows };
        if let (2.., Some(width)) = (rows, width) {
            self.check_reach(to.row(rows - 1, pitch, 0)?, width, call)?;
        }
        (0..rows).try_for_each(|row| self.fill(to.row(row, pitch, 0)?, element, count, call))
    }

    /// Refuses a range that exceeds its memory.
    fn check_reach(&mut self, to: Pointer, bytes: usize, call: &str) -> Result {
        match self.side(to, bytes) {
            Side::Host => self.check_host(to, bytes, call),
            Side::Device => {
                let found = self.session.read(to.address(), bytes).map(drop);
                found.map_err(|why| {
                    self.wrong(Code::INVALID_VALUE, &format!("{call}: {}", why.what))
                })
            }
            Side::Constant => {
                let start = self.constant(to)?;
                self.constants(start, bytes).map(drop)
            }
        }
    }

    pub(crate) fn read(&mut self, from: Pointer, bytes: usize, call: &str) -> Result<Vec<u8>> {
        self.session.synchronise();
        match self.side(from, bytes) {
            Side::Host => from.host_bytes(bytes).or_else(|code| {
                self.check_host(from, bytes, call)?;
                Err(code)
            }),
            Side::Device => {
                let read = self.session.read(from.address(), bytes);
                let read = read.map_err(|why| why.what).and_then(|found| {
                    let mut read = Vec::new();
                    let room = read.try_reserve_exact(bytes);
                    room.map_err(|_| format!("this machine cannot allocate {bytes} bytes"))?;
                    read.extend_from_slice(found);
                    Ok(read)
                });
                read.map_err(|what| self.wrong(Code::INVALID_VALUE, &format!("{call}: {what}")))
            }
            Side::Constant => {
                let start = self.constant(from)?;
                let bytes = self.constants(start, bytes)?;
                Ok(bytes.to_vec())
            }
        }
    }

    pub(crate) fn write(&mut self, to: Pointer, contents: &[u8], call: &str) -> Result {
        self.session.synchronise();
        match self.side(to, contents.len()) {
            Side::Host => {
                self.check_host(to, contents.len(), call)?;
                to.write_host(contents)
            }
            Side::Device => {
                let written = self.session.write(to.address(), contents);
                written.map_err(|why| {
                    self.wrong(Code::INVALID_VALUE, &format!("{call}: {}", why.what))
                })
            }
            Side::Constant => {
                let start = self.constant(to)?;
                self.constants(start, contents.len())?
                    .copy_from_slice(contents);
                Ok(())
            }
        }
    }
}
