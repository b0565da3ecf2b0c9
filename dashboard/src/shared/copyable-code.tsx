import { Button, Code, CopyButton, Group } from '@mantine/core';
import { t } from '../i18n/i18n';

/** One line of text to be taken elsewhere. */
export function CopyableCode({ text, label }: { text: string; label: string }) {
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <Code
        block
        tabIndex={0}
        aria-label={label}
        style={{ flex: 1, minWidth: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button variant="default" onClick={copy}>
            {copied ? t('shared.copied') : t('shared.copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
