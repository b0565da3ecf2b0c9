import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { AppModule } from './app.module.js';
import type { Settings } from './settings.js';

/**
 * Starts a worker: outbox, sweepers and maintenance. It serves no HTTP and loads none of its code.
 */
export async function startWorker(settings: Settings): Promise<INestApplicationContext> {
  const worker = await NestFactory.createApplicationContext(AppModule.forRoot(settings), {
    bufferLogs: true,
  });
  worker.useLogger(worker.get(Logger));
  return worker;
}
