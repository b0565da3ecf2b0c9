import { Button, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { authSessionOptions } from '../client/@tanstack/react-query.gen';
import { authSignOut } from '../client/sdk.gen';
import { queryClient } from '../api/query-client';
import { useAct } from '../shared/use-act';
import { useZone } from '../shared/zone';
import { t } from '../texts/texts';

/** Who is signed in, and how this browser shows things. */
export function PersonMenu({ openHelp }: { openHelp: () => void }) {
  const { data: session } = useQuery({ ...authSessionOptions(), staleTime: 60_000 });
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { zone, setZone } = useZone();
  const navigate = useNavigate();
  const signOut = useAct({
    run: async () => (await authSignOut()).data,
    tellsFailure: true,
    then: () => {
      queryClient.clear();
      void navigate({ to: '/sign-in' });
    },
  });
  return (
    <Menu position="top-start" width={208}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="sm"
          fullWidth
          justify="space-between"
          aria-label={t.shell.personMenu(session?.user.name ?? '')}
          rightSection={<span aria-hidden>▴</span>}
        >
          <Text truncate>{session?.user.name}</Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session?.user.email}</Menu.Label>
        <Menu.Item component={Link} to="/account">
          {t.pages.account}
        </Menu.Item>
        <Menu.Item onClick={openHelp} rightSection={<kbd>?</kbd>}>
          {t.keys.title}
        </Menu.Item>
        <Menu.Item component="a" href="/docs">
          {t.shell.apiDocs}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t.shell.appearance}</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            rightSection={colorScheme === scheme ? '✓' : null}
            onClick={() => setColorScheme(scheme)}
          >
            {t.shell.schemes[scheme]}
          </Menu.Item>
        ))}
        <Menu.Label>{t.shell.times}</Menu.Label>
        {(['local', 'utc'] as const).map((each) => (
          <Menu.Item
            key={each}
            role="menuitemradio"
            aria-checked={zone === each}
            rightSection={zone === each ? '✓' : null}
            onClick={() => setZone(each)}
          >
            {t.shell.zones[each]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => signOut.run(undefined)}>{t.shell.signOut}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
