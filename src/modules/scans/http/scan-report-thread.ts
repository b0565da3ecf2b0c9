import { buffer } from 'node:stream/consumers';
import { answerTasks } from '../../../platform/threads/thread-tasks.js';
import type { ScanReportPage } from '../application/scan-report-pages.js';
import { drawScanReport } from './scan-report-pdf.js';

answerTasks<ScanReportPage, Uint8Array>((page) => buffer(drawScanReport(page)));
