/** Which records a list or an export has; absent members match all records. */
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
  /** Compared without case. */
  language?: string;
  surface?: string;
}
