// Before your other routes, and before anything that reads bodies. Replace <projectId> and <secret>.
// Behind another proxy, set Express's "trust proxy", so that request.ip is the visitor's address.
import https from 'node:https';

export function mountConsent(app) {
  app.use('/consent', (request, response) => {
    const { cookie, connection, ...headers } = request.headers;
    // Visitors can send these.
    delete headers['x-service-visitor-country'];
    delete headers['x-service-visitor-subdivision'];
    const forwarded = https.request(
      'https://consent.example.com/first-party/<projectId>' + request.url,
      {
        method: request.method,
        headers: {
          ...headers,
          host: 'consent.example.com',
          'x-service-proxy-secret': '<secret>',
          'x-service-visitor-address': request.ip,
          'x-forwarded-host': request.headers.host,
          'x-forwarded-prefix': '/consent',
        },
      },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    request.pipe(forwarded);
  });
}
