import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { client } from '../client/client.gen';
import { toApiProblem } from '../api/problem';
import { queryClient, sessionEnd } from '../api/query-client';
import { rememberEtag } from '../api/etags';
import { Toasts } from '../shared/toasts';
import { ZoneProvider } from '../shared/zone';
import { router } from './router';
import { redirectToSignIn } from './redirect-to-sign-in';
import { readableColors, theme } from './theme';

client.interceptors.error.use((error, response) => toApiProblem(error, response));
client.interceptors.response.use(rememberEtag);
sessionEnd.listener = redirectToSignIn;

export function App({ nonce }: { nonce: string }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
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
