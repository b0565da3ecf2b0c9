import { Button, type ButtonProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

/** A button that leads to another view of the page. */
export const ViewLink = createLink((props: ButtonProps) => <Button component="a" {...props} />);
