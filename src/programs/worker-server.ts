import type { NestExpressApplication } from '@nestjs/platform-express';
import type { RequestHandler } from 'express';
import { ProblemModule, sendProblem } from '../platform/http/problem.filter.js';
import { OperationsHttpModule } from '../platform/operations/http/operations-http.module.js';
import { AppModule } from './app.module.js';
import { allowMethodsOfRoutes, createExpressApp } from './express-app.js';
import type { Settings } from './settings.js';

/** Builds a worker that serves health and metrics, ready to listen. */
export async function createWorkerServer(settings: Settings): Promise<NestExpressApplication> {
  const app = await createExpressApp(
    AppModule.forRoot(settings, [ProblemModule, OperationsHttpModule]),
    settings,
  );
  app.use(refuseAllButOperations);
  allowMethodsOfRoutes(app);
  return app;
}

const refuseAllButOperations: RequestHandler = (request, response, next) => {
  if (request.path === '/metrics' || request.path.startsWith('/health/')) next();
  else
    sendProblem(request, response, {
      status: 404,
      code: 'not_found',
      detail: 'A worker serves only health and metrics.',
    });
};
