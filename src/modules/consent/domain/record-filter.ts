/** Filters records of a list or an export; absent members match all records. */
export interface RecordFilter {
  /** Received at this instant or later. */
  from?: Date;
  /** Received before this instant. */
  to?: Date;
  action?: string;
  hostname?: string;
  analytics?: boolean;
  marketing?: boolean;
  preferences?: boolean;
  configHash?: string;
  /** Case-insensitive. */
  language?: string;
  surface?: string;
}
