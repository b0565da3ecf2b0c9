import { Injectable } from '@nestjs/common';
import { overviewPeriods } from '../../consent/domain/overview-periods.js';
import { ProjectReads } from '../../../platform/database/project-reads.js';
import {
  type ActivitySlot,
  activitySlots,
  deliveriesSince,
  type DeliveriesSince,
  responseTimes,
  type ResponseTime,
  SLOTS,
  SLOT_MS,
} from '../infrastructure/delivery-activity.rows.js';

/** Whether an endpoint has accepted records recently, and how fast. */
interface DeliveryActivity {
  slots: ActivitySlot[];
  today: DeliveriesSince;
  responseTime: ResponseTime;
}

/** Counts a project's attempts of the last 24 hours, with a limit for each part. */
@Injectable()
export class DeliveryActivityService {
  constructor(private readonly reads: ProjectReads) {}

  async read(
    projectId: string,
    { now, timeZone }: { now: Date; timeZone: string },
    gone: AbortSignal,
  ): Promise<DeliveryActivity> {
    const firstMs = (Math.floor(now.getTime() / SLOT_MS) - SLOTS + 1) * SLOT_MS;
    const starts = Array.from({ length: SLOTS }, (_, slot) => new Date(firstMs + slot * SLOT_MS));
    const since = overviewPeriods(now, timeZone).today.now.from;
    const slots = await this.reads.list(projectId, activitySlots(projectId, starts), gone);
    const [today] = await this.reads.list(projectId, deliveriesSince(projectId, since), gone);
    const [responseTime] = await this.reads.list(
      projectId,
      responseTimes(projectId, new Date(firstMs)),
      gone,
    );
    return {
      slots,
      today: today ?? { delivered: 0, failed: 0, more: false },
      responseTime: responseTime ?? { p50Ms: null, p99Ms: null },
    };
  }
}
