// Loaded before the service (`--import`): its wall clock goes wrong by LAB_CLOCK_OFFSET_MS. The monotonic clock
// and the timers stay right, as they do on a machine whose clock is set wrongly.
const offsetMs = Number(process.env.LAB_CLOCK_OFFSET_MS);
const RealDate = Date;
const now = () => RealDate.now() + offsetMs;

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now()] : parts));
  }

  static now() {
    return now();
  }
};
