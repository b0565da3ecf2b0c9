import type { NestExpressApplication } from '@nestjs/platform-express';

/** Every route of the Express application, written as the document writes it. */
export function servedRoutes(app: NestExpressApplication): string[] {
  interface Layer {
    route?: { path: string | string[]; methods: Record<string, boolean> };
    handle: { stack?: Layer[] };
  }
  const routesIn = (stack: Layer[]): string[] =>
    stack.flatMap(({ route, handle }) => {
      if (!route) return routesIn(handle.stack ?? []);
      const methods = Object.keys(route.methods).filter((method) => route.methods[method]);
      return [route.path]
        .flat()
        .flatMap((path) =>
          methods.map(
            (method) => `${method.toUpperCase()} ${path.replaceAll(/[:*](?!splat)(\w+)/g, '{$1}')}`,
          ),
        );
    });
  const { router } = app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } };
  return [...new Set(routesIn(router.stack))];
}
