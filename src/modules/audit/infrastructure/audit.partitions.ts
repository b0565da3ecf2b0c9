import type { PartitionedTable } from '../../../platform/database/partitions.js';

export const AUDIT_EVENTS: PartitionedTable = { name: 'audit_event', period: 'month' };
export const SECURITY_EVENTS: PartitionedTable = { name: 'security_event', period: 'month' };
