// librabbitmq 0.11 (Debian 12) has <amqp.h>, later ones <rabbitmq-c/amqp.h>.
#if __has_include(<rabbitmq-c/amqp.h>)
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/framing.h>
#include <rabbitmq-c/ssl_socket.h>
#include <rabbitmq-c/tcp_socket.h>
#else
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#endif

/// `amqp_login_with_properties` is variadic, which Swift does not import.
static inline amqp_rpc_reply_t crabbitmq_login(amqp_connection_state_t connection, const char *virtual_host,
                                               int heartbeat, const amqp_table_t *properties, const char *user,
                                               const char *password) {
    return amqp_login_with_properties(connection, virtual_host, 0, 131072, heartbeat, properties,
                                      AMQP_SASL_METHOD_PLAIN, user, password);
}
