import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { ScheduleView } from '../application/scan-schedule.service.js';
import {
  INACTIVITY_SENTENCES,
  SCAN_FREQUENCIES,
  type ScanFrequency,
  type ScheduleInactivity,
} from '../domain/scan-schedule.js';

const FREQUENCIES = ['off', ...SCAN_FREQUENCIES] as const;

export class SaveScanScheduleBody {
  @ApiProperty({ enum: FREQUENCIES })
  @IsIn(FREQUENCIES)
  frequency!: ScanFrequency | 'off';
}

class ScheduleInactivityResponse {
  @ApiProperty({ enum: Object.keys(INACTIVITY_SENTENCES) }) code!: ScheduleInactivity;
  @ApiProperty({ example: INACTIVITY_SENTENCES.tier }) message!: string;
}

export class ScanScheduleResponse {
  @ApiProperty({ enum: FREQUENCIES, example: 'weekly' }) frequency!: ScanFrequency | 'off';
  @ApiProperty({ description: 'Whether scans start as scheduled' }) active!: boolean;
  @ApiProperty({
    type: ScheduleInactivityResponse,
    nullable: true,
    description: 'Why a schedule starts nothing',
    example: null,
  })
  inactiveReason!: ScheduleInactivityResponse | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the next scan is due; while another one runs or no scanner does, it waits',
    example: '2026-12-08T03:00:00.000Z',
  })
  nextAt!: Date | null;

  static of({ frequency, inactivity, nextAt }: ScheduleView): ScanScheduleResponse {
    return {
      frequency,
      active: frequency !== 'off' && inactivity === null,
      inactiveReason: inactivity && { code: inactivity, message: INACTIVITY_SENTENCES[inactivity] },
      nextAt,
    };
  }
}
