/** Whether records arrive at a project's endpoint. */
export interface EndpointStatus {
  /** `off`: forwarding is off or not in the tier; `unused`: nothing was sent yet. */
  state: 'off' | 'unused' | 'healthy' | 'failing' | 'held';
  /** Since when it fails or is held; null otherwise. */
  since: Date | null;
}

/** Records received since midnight. */
export interface RecordsToday {
  records: number;
  /** Of the visitors who were asked, the share that grants at least one category; null without such visitors. */
  optInRate: number | null;
}

/** Records that were not delivered. */
export interface UndeliveredCount {
  records: number;
  /** Whether there are more than were counted. */
  more: boolean;
}
