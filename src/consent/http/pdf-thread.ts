import { buffer } from 'node:stream/consumers';
import { answerTasks } from '../../shared/thread-tasks.js';
import { drawPdf, type RecordsPage } from './pdf-export.js';

answerTasks<RecordsPage, Uint8Array>((page) => buffer(drawPdf(page)));
