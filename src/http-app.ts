import { ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import helmet from 'helmet';
import type { ValidationError } from 'class-validator';
import { AppModule } from './app.module.js';
import type { Settings } from './config.js';
import { mountIngest } from './consent/ingest.js';
import { type FieldError, fieldErrors } from './shared/domain-error.js';
import { answerParserErrors } from './shared/problem.filter.js';

/** Largest body of the dashboard API; the consent ingest has its own, smaller limit (design §6.1). */
export const API_BODY_BYTES_MAX = 100 * 1024;

/** Builds the API, ready to listen. The database is migrated already. */
export async function createHttpApp(settings: Settings): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(settings), {
    bodyParser: false,
    logger: settings.logLevel === 'silent' ? false : ['fatal', 'error', 'warn', 'log'],
  });
  app.set('trust proxy', settings.trustedProxies.length > 0 ? settings.trustedProxies : false);
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(helmet());
  mountIngest(app);
  app.use('/v1', express.json({ limit: API_BODY_BYTES_MAX, strict: false }));
  app.use(answerParserErrors);
  app.useGlobalPipes(
    new ValidationPipe({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      exceptionFactory: (errors) => fieldErrors(errors.flatMap((error) => fieldErrorsOf(error))),
    }),
  );
  return app;
}

/** Flattens class-validator's tree into `{ field: "a.b.0", message }`; it never repeats a value. */
function fieldErrorsOf(error: ValidationError, path = ''): FieldError[] {
  const field = path === '' ? error.property : `${path}.${error.property}`;
  const own = Object.values(error.constraints ?? {}).map((message) => ({
    field,
    message: sentence(message),
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => fieldErrorsOf(child, field))];
}

function sentence(message: string): string {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return text.endsWith('.') ? text : `${text}.`;
}
