import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { client } from '../client/client.gen';
import { problemOf } from '../api/problem';
import { queryClient, sessionEnd } from '../api/query-client';
import { rememberTag } from '../api/tags';
import { ZoneProvider } from '../shared/zone';
import { router } from './router';
import { leadToSignIn } from './session-end';
import { readableColors, theme } from './theme';

client.interceptors.error.use((error, response) => problemOf(error, response));
client.interceptors.response.use(rememberTag);
sessionEnd.listener = leadToSignIn;

export function App({ nonce }: { nonce: string }) {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readableColors}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
      deduplicateInlineStyles
    >
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queryClient}>
        <ZoneProvider>
          <RouterProvider router={router} />
        </ZoneProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
