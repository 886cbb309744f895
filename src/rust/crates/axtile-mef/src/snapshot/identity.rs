//! By which a change is seen.

use std::path::Path;
use std::time::{Duration, SystemTime};

use axtile_store::FileIdentity;
use serde_json::{Value, json};

/// Changes within this time may not show: the clock of file systems is coarse.
const SETTLED: Duration = Duration::from_secs(2);

/// Size and time of change of a file or folder, to be compared.
pub(super) fn identity(path: &Path) -> Option<Value> {
    let identity = FileIdentity::read(path).ok()?;
    let (seconds, nanoseconds) = identity.modified()?;
    Some(json!([identity.size(), seconds, nanoseconds]))
}

/// Whether the last change is long enough ago to tell it from the next one.
pub(super) fn is_settled(identity: &Value) -> bool {
    let number = |at: usize| identity.get(at).and_then(Value::as_u64);
    let (Some(seconds), Some(nanoseconds)) = (number(1), number(2)) else {
        return false;
    };
    let changed = SystemTime::UNIX_EPOCH.checked_add(Duration::new(
        seconds,
        u32::try_from(nanoseconds).unwrap_or(0),
    ));
    changed
        .and_then(|changed| SystemTime::now().duration_since(changed).ok())
        .is_some_and(|age| age > SETTLED)
}
