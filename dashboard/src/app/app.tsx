import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { client } from '../client/client.gen';
import { toApiProblem } from '../api/problem';
import { fetchOnce } from '../api/first-responses';
import { queryClient, sessionEnd } from '../api/query-client';
import { rememberEtag } from '../api/etags';
import { locale } from '../i18n/i18n';
import { Toasts } from '../shared/toasts';
import { ZoneProvider } from '../shared/zone';
import { router } from './router';
import { redirectToSignIn } from './redirect-to-sign-in';
import { tokenColors, theme } from './theme';

client.setConfig({ fetch: fetchOnce });
// The language chosen here is the one of the mails that a request causes. Reads keep the headers of their preloads.
client.interceptors.request.use((request) => {
  if (request.method !== 'GET') request.headers.set('Accept-Language', locale);
  return request;
});
client.interceptors.error.use((error, response) => toApiProblem(error, response));
client.interceptors.response.use(rememberEtag);
sessionEnd.listener = redirectToSignIn;

export function App({ nonce }: { nonce: string }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={tokenColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
      deduplicateInlineStyles
    >
      <Toasts />
      <QueryClientProvider client={queryClient}>
        <ZoneProvider>
          <RouterProvider router={router} />
        </ZoneProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
