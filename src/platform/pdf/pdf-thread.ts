import { buffer } from 'node:stream/consumers';
import { answerTasks } from '../threads/thread-tasks.js';
import type { PdfTask } from './pdf-renderer.js';

answerTasks<PdfTask, Uint8Array>(async ({ drawing, page }) => {
  const module = (await import(drawing.module)) as Record<string, (page: unknown) => PDFKit.PDFDocument>;
  const draw = module[drawing.name];
  if (!draw) throw new Error(`${drawing.module} has no export ${drawing.name}.`);
  return buffer(draw(page));
});
