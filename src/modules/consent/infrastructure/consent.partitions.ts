import type { PartitionedTable } from '../../../platform/database/partitions.js';

export const CONSENT_RECORDS: PartitionedTable = { name: 'consent_record', period: 'month' };
