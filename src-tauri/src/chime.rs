//! The soft sound: two short notes, made here as samples, so that no file of somebody else's is needed and the volume is in
//! the file. A notification server that plays sounds is handed the file; else a player of the desktop plays it, if there is one.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Samples a second.
const RATE: u32 = 22_050;
/// Each note's length in samples and its pitch: a fourth upwards, 300 ms in all.
const NOTES: [(u32, f64); 2] = [(2_646, 587.33), (3_969, 783.99)];
/// How long a player may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// Players of PipeWire, PulseAudio and ALSA, with what makes them quiet on the terminal.
const PLAYERS: [(&str, &[&str]); 3] = [("pw-play", &[]), ("paplay", &[]), ("aplay", &["-q"])];

/// The sound, in a folder of its own.
#[derive(Debug, Clone)]
pub(crate) struct Chime {
    folder: PathBuf,
}

impl Chime {
    /// Its files are made in the folder when they are needed.
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The file for a volume of 1 to 100.
    pub(crate) fn file(&self, volume: u8) -> std::io::Result<PathBuf> {
        let place = self.folder.join(format!("chime-{volume}.wav"));
        if !place.exists() {
            // Whole or not at all: a player must not find half of it.
            let making = self.folder.join(format!("chime-{volume}.wav.new"));
            std::fs::File::create(&making)?.write_all(&wave(volume))?;
            std::fs::rename(&making, &place)?;
        }
        Ok(place)
    }

    /// Plays it with whatever player there is.
    pub(crate) async fn play(&self, volume: u8) {
        let file = match self.file(volume) {
            Ok(file) => file,
            Err(error) => {
                tracing::info!(%error, "the sound can't be written");
                return;
            }
        };
        for (player, words) in PLAYERS {
            let started = tokio::process::Command::new(player)
                .args(words)
                .arg(&file)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .kill_on_drop(true)
                .spawn();
            let Ok(mut playing) = started else { continue };
            match tokio::time::timeout(PATIENCE, playing.wait()).await {
                Ok(Ok(status)) if status.success() => return,
                Ok(_) => {}
                Err(_) => return,
            }
        }
        tracing::info!("no player for the sound was found");
    }
}

/// The samples as a wave file: one channel of 16 bits.
fn wave(volume: u8) -> Vec<u8> {
    let samples = samples(volume);
    let bytes = u32::try_from(samples.len() * 2).unwrap_or_default();
    let mut file = Vec::with_capacity(samples.len() * 2 + 44);
    file.extend(b"RIFF");
    file.extend((36 + bytes).to_le_bytes());
    file.extend(b"WAVEfmt ");
    file.extend(16_u32.to_le_bytes());
    for short in [1_u16, 1] {
        file.extend(short.to_le_bytes());
    }
    file.extend(RATE.to_le_bytes());
    file.extend((RATE * 2).to_le_bytes());
    for short in [2_u16, 16] {
        file.extend(short.to_le_bytes());
    }
    file.extend(b"data");
    file.extend(bytes.to_le_bytes());
    file.extend(samples.into_iter().flat_map(i16::to_le_bytes));
    file
}

#[expect(clippy::cast_possible_truncation, reason = "a sample is kept within half of what 16 bits hold")]
fn samples(volume: u8) -> Vec<i16> {
    let loud = f64::from(volume.min(100)) / 100.0 * 0.5 * f64::from(i16::MAX);
    let note = |(count, pitch): (u32, f64)| {
        let length = f64::from(count) / f64::from(RATE);
        (0..count).map(move |at| {
            let time = f64::from(at) / f64::from(RATE);
            // It swells within 8 ms and fades to its end, so that nothing clicks.
            let shape = (time / 0.008).min(1.0) * (1.0 - time / length).powi(2);
            let angle = std::f64::consts::TAU * pitch * time;
            (loud * shape * (angle.sin() + 0.25 * (2.0 * angle).sin()) / 1.25) as i16
        })
    };
    NOTES.into_iter().flat_map(note).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_three_tenths_of_a_second_soft_and_as_loud_as_asked() {
        let peak = |volume| samples(volume).into_iter().map(i16::unsigned_abs).max().unwrap();
        assert_eq!(samples(100).len() * 10, usize::try_from(RATE).unwrap() * 3);
        assert!(peak(100) < 17_000 && peak(50) < peak(100) && peak(0) == 0);
        let file = wave(50);
        assert_eq!((&file[..4], &file[8..16]), (&b"RIFF"[..], &b"WAVEfmt "[..]));
        assert_eq!(file.len(), samples(50).len() * 2 + 44);
        let folder = tempfile::tempdir().unwrap();
        let chime = Chime::in_folder(folder.path());
        assert_eq!(std::fs::read(chime.file(50).unwrap()).unwrap(), file);
        assert_eq!(chime.file(50).unwrap(), chime.file(50).unwrap());
    }
}
