import { Button, Menu, useMantineColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import ChevronsUpDown from 'lucide-react/icons/chevrons-up-down';
import { authSessionOptions } from '../client/@tanstack/react-query.gen';
import { authSignOut } from '../client/sdk.gen';
import { Avatar } from '../shared/avatar';
import { useApiMutation } from '../shared/use-api-mutation';
import { useSignedOut } from '../shared/use-signed-out';
import { useZone } from '../shared/zone';
import { chooseLanguage, preferredLanguage, LANGUAGES } from '../i18n/locale';
import { t } from '../i18n/i18n';
import { VisibleText } from '../shared/visible-text';

/** Who is signed in, and how this browser shows things. */
export function AccountMenu({ openHelp }: { openHelp: () => void }) {
  const { data: session } = useQuery({ ...authSessionOptions(), staleTime: 60_000 });
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { zone, setZone } = useZone();
  const signOut = useApiMutation({
    request: async () => (await authSignOut()).data,
    notifiesError: true,
    onSuccess: useSignedOut(),
  });
  return (
    <Menu position="top-start" width={208}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          fullWidth
          className="switcher"
          aria-label={t('shell.accountMenu', { name: session?.user.name ?? '' })}
          rightSection={<ChevronsUpDown className="icon" aria-hidden />}
        >
          <Avatar name={session?.user.name ?? ''} />
          <span className="switcher-name">
            <span>
              <VisibleText text={session?.user.name ?? ''} />
            </span>
          </span>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{session?.user.email}</Menu.Label>
        <Menu.Item component={Link} to="/account">
          {t('pages.account')}
        </Menu.Item>
        <Menu.Item onClick={openHelp} rightSection={<kbd>?</kbd>}>
          {t('keys.title')}
        </Menu.Item>
        <Menu.Item component="a" href="/docs">
          {t('shell.apiDocs')}
        </Menu.Item>
        <Menu.Divider />
        <Choice
          label={t('shell.appearance')}
          value={colorScheme}
          options={{
            auto: t('shell.schemes.auto'),
            light: t('shell.schemes.light'),
            dark: t('shell.schemes.dark'),
          }}
          choose={setColorScheme}
        />
        <Choice
          label={t('shell.timeZone')}
          value={zone}
          options={{ local: t('shell.zones.local'), utc: t('shell.zones.utc') }}
          choose={setZone}
        />
        <Choice
          label={t('shell.language')}
          value={preferredLanguage()}
          options={LANGUAGES}
          choose={chooseLanguage}
        />
        <Menu.Divider />
        <Menu.Item onClick={() => signOut.mutate(undefined)}>{t('shell.signOut')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  /** The labels, by value. */
  options: Record<Value, string>;
  choose: (value: Value) => void;
}

/** One of a few, all in sight. */
function Choice<Value extends string>({ label, value, options, choose }: ChoiceProps<Value>) {
  return (
    <Menu.RadioGroup value={value} onChange={(chosen) => choose(chosen as Value)}>
      <Menu.Label>{label}</Menu.Label>
      {Object.entries<string>(options).map(([each, name]) => (
        <Menu.RadioItem key={each} value={each}>
          {name}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
