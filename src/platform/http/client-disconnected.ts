import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { ServerResponse } from 'node:http';

/** The client closed its connection before the response, so the work is abandoned. */
export class ClientDisconnected extends Error {
  constructor() {
    super('The client disconnected.');
    this.name = 'ClientGone';
  }
}

/** Aborted with `ClientDisconnected` when the connection closes before the response was sent. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  const onClose = (): void => {
    if (!response.writableFinished) gone.abort(new ClientDisconnected());
  };
  if (response.destroyed) onClose();
  else response.once('close', onClose);
  return gone.signal;
}

/** A handler's parameter: the signal of `goneSignal` for its request. */
export const DisconnectSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal =>
  goneSignal(context.switchToHttp().getResponse<ServerResponse>()),
);
