import { buffer } from 'node:stream/consumers';
import { answerTasks } from '../../../platform/threads/thread-tasks.js';
import type { ProofPage } from '../application/proof-pages.js';
import { drawProof } from './proof-pdf.js';

answerTasks<ProofPage, Uint8Array>((page) => buffer(drawProof(page)));
