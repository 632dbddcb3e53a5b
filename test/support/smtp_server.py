# A mail server for SmtpServer.ts: Debian's aiosmtpd on a loopback port of the kernel's choice. Arguments: a certificate and its key, for
# STARTTLS, a user and a password, all four empty for clear text without a password. Each event is a line of JSON on the output; a line
# on the input says how it behaves from then on. It ends when its input closes.
import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

certificate, key, user, password = sys.argv[1:5]
behaviour = "accept"
RCPT = {
    "later": "451 4.3.2 Come back later",
    "never": "550 5.1.1 No such mailbox",
    "policy": "554 5.7.1 Not from you",
    "full": "552 5.2.2 Mailbox full",
    "relay": "550 relay not permitted",
}


def say(**what):
    print(json.dumps(what), flush=True)


def part(message, kind):
    found = message.get_body(preferencelist=(kind,))
    return None if found is None else found.get_content().replace("\r\n", "\n")


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        say(event="rcpt", behaviour=behaviour)
        if behaviour in RCPT:
            return RCPT[behaviour]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if behaviour == "sender":
            return "550 The from address does not match a verified Sender Identity"
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        say(
            event="mail",
            sender=envelope.mail_from,
            to=envelope.rcpt_tos,
            tls=session.ssl is not None,
            user=session.auth_data,
            headers=[[name, str(value)] for name, value in message.items()],
            text=part(message, "plain"),
            html=part(message, "html"),
        )
        if behaviour == "dies":
            server.transport.abort()
        while behaviour == "silent":
            await asyncio.sleep(0.01)
        return "250 OK"


def authenticator(server, session, envelope, mechanism, data):
    right = (data.login.decode(), data.password.decode()) == (user, password)
    return AuthResult(success=right, handled=False, auth_data=data.login.decode())


def protocol():
    if certificate == "":
        return SMTP(Handler(), hostname="mail.agon.example")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    return SMTP(
        Handler(),
        hostname="mail.agon.example",
        tls_context=context,
        require_starttls=True,
        auth_required=True,
        authenticator=authenticator,
    )


def hear(ended):
    global behaviour
    line = sys.stdin.readline().strip()
    if line == "":
        ended.set()
        return
    behaviour = line
    say(event="behaves", behaviour=line)


async def main():
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    server = await loop.create_server(protocol, "127.0.0.1", 0)
    loop.add_reader(sys.stdin.fileno(), hear, ended)
    say(event="listens", port=server.sockets[0].getsockname()[1])
    await ended.wait()


asyncio.run(main())
