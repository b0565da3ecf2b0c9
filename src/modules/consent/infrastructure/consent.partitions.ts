import type { PartitionedTable } from '../../database/partitions.js';

export const CONSENT_RECORDS: PartitionedTable = { name: 'consent_record', period: 'month' };
