// A helper: the bare Nest + Express route that the ingest is compared with. It parses the same JSON and
// answers a body of the same size; it checks nothing and stores nothing.
import 'reflect-metadata';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { answerCalls } from './helper.mjs';

class BareController {
  /** @param {{ action: string }} consent */
  take(consent) {
    return { id: '00000000-0000-7000-8000-000000000000', receivedAt: consent.action, duplicate: false };
  }
}
// Decorators are called as functions: Node runs this file directly, without a compiler.
Controller('v1/projects/:projectId/consents')(BareController);
Post()(
  BareController.prototype,
  'take',
  /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(BareController.prototype, 'take')),
);
Body()(BareController.prototype, 'take', 0);

// oxlint-disable-next-line typescript/no-extraneous-class -- a module has nothing but its decorator
class BareModule {}
Module({ controllers: [BareController] })(BareModule);

answerCalls({
  listen: async () => {
    const app = await NestFactory.create(BareModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    return { baseUrl: await app.getUrl() };
  },
});
