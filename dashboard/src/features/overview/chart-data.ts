import type { AlignedData } from 'uplot';
import type { DailyRecordsResponse } from '../../client/types.gen';

/**
 * Days, records and opt-ins of complete days, the records of 30 days earlier, and separately the
 * records and opt-ins of the current day.
 */
export function chartData(days: readonly DailyRecordsResponse[]): AlignedData {
  const last = days.length - 1;
  const hasBefore = days.some(({ recordsBefore }) => recordsBefore > 0);
  const finished = (value: (day: DailyRecordsResponse) => number) =>
    days.map((day, index) => (index === last ? null : value(day)));
  const running = (value: (day: DailyRecordsResponse) => number) =>
    days.map((day, index) => (index === last ? value(day) : null));
  const records = (day: DailyRecordsResponse): number => day.records;
  const optedIn = (day: DailyRecordsResponse): number => day.optedIn;
  return [
    days.map(({ at }) => Date.parse(at) / 1_000),
    finished(records),
    finished(optedIn),
    // A line along 0 would say nothing.
    days.map((day) => (hasBefore ? day.recordsBefore : null)),
    running(records),
    running(optedIn),
  ];
}
