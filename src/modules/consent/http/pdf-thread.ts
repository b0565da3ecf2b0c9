import { buffer } from 'node:stream/consumers';
import { answerTasks } from '../../../platform/threads/thread-tasks.js';
import { drawPdf } from './pdf-export.js';
import type { RecordsPage } from './pdf-page.js';

answerTasks<RecordsPage, Uint8Array>((page) => buffer(drawPdf(page)));
