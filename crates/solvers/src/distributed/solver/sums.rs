//! Numbers for the parts of a matrix: those that its digest is the sum of, and those by which it is found symmetric.

use super::kernels::DIGEST_THREADS;
use super::lane::Lane;
use super::plan::Side;
use repro_device::{Argument, DeviceError, Launch};

/// What the numbers of all parts add up to, modulo 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sum {
    Digest,
    /// 0 of a symmetric matrix, and of another one in 2^64.
    Asymmetry,
}

/// What these devices have begun to add up, all together.
///
/// # Errors
/// When a device refuses the work.
pub fn total(lanes: &[Lane]) -> Result<u64, DeviceError> {
    lanes.iter().try_fold(0_u64, |all, lane| {
        let mut host = lane.memory.host_sum.borrow_mut();
        lane.main().download(lane.memory.sum.whole(), &mut host)?;
        lane.main().synchronize()?;
        Ok(all.wrapping_add(host.numbers::<u64>()[0]))
    })
}

impl Lane {
    /// Queues the number of this part.
    ///
    /// # Errors
    /// When the device refuses the work.
    pub fn begin_sum(&self, sum: Sum) -> Result<(), DeviceError> {
        let mut host = self.memory.host_sum.borrow_mut();
        host.numbers_mut::<u64>().fill(0);
        self.main().upload(&host, self.memory.sum.whole())?;
        let line = |side: Side| {
            let numbers = [self.plan.block() as i32, side.devices as i32, side.own as i32];
            bytemuck::cast::<_, [u8; 12]>(numbers)
        };
        let (down, across) = (line(self.rows), line(self.columns));
        let [rows, columns, pitch] = [self.rows.vertices(), self.columns.vertices(), self.columns.padded()]
            .map(|value| Argument::Int(value as i32));
        let arguments = [
            Argument::Buffer(&self.memory.matrix),
            rows,
            columns,
            pitch,
            Argument::Long(self.plan.n as i64),
            Argument::Struct(&down),
            Argument::Struct(&across),
            Argument::Int((sum == Sum::Asymmetry).into()),
            Argument::Buffer(&self.memory.sum),
        ];
        let launch = Launch::rows_of(self.rows.vertices().clamp(1, 1024), 1, DIGEST_THREADS);
        // SAFETY: the kernel reads the vertices of the part and adds to one number.
        unsafe { self.main().launch(&self.kernels.digest, launch, &arguments) }
    }
}
